import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Select } from '../../look/fields.tsx';
import { Broken } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { phoneWords } from '../../words/people.ts';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { firmsQuery } from '../firms/queries.ts';
import { FirmTabs } from '../firms/tabs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, RowButton, stateColumn } from '../table.tsx';
import { AdvisorForm } from './advisor-form.tsx';
import { type Advisor, advisorsQuery } from './queries.ts';

type OpenDialog = { what: 'add' } | { what: 'change' | 'invite' | 'disable'; advisor: Advisor };

export function Advisors() {
  const { firm } = useSearch({ from: '/advisors' });
  const navigate = useNavigate();
  const { data, error } = useQuery(advisorsQuery);
  const firms = useQuery(firmsQuery).data?.data;
  const [asked, ask] = useState<OpenDialog | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const close = () => ask(null);
  if (error && !data) return <Broken error={error} />;
  const columns: Column<Advisor>[] = [
    { name: 'Advisor', text: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
    { name: 'Firm', text: ({ firmId }) => firms?.find((each) => each.firmId === firmId)?.name ?? null },
    { name: 'Email', text: ({ email }) => email },
    {
      name: 'Number',
      text: ({ textingNumber }) => (textingNumber ? phoneWords(textingNumber) : null),
    },
    stateColumn(),
  ];
  const invite = async ({ advisorId }: Advisor) => {
    setLink((await post<{ link: string }>(`/advisors/${advisorId}/invite`)).link);
  };
  const setDisabled = async ({ advisorId, name }: Advisor, disabled: boolean) => {
    await put(`/advisors/${advisorId}`, { body: { disabled } });
    await refresh('/advisors');
    toast(disabled ? `${name}’s account is refused everywhere.` : `${name}’s account works again.`);
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Firms and advisors</h1>
        <FirmTabs here="advisors" />
        <Button icon="user-plus" kind="main end" onClick={() => ask({ what: 'add' })} disabled={!firms?.length}>
          Add an advisor
        </Button>
      </header>
      <DataTable
        name="advisors"
        columns={columns}
        rows={data?.filter(({ firmId }) => firm === undefined || firmId === firm)}
        keyOf={({ advisorId }) => advisorId}
        empty="Nobody yet. Add an advisor, then invite them to choose a password."
        tools={
          <Select
            className="data-choice"
            aria-label="Firm"
            value={firm}
            choose={(value) => void navigate({ to: '/advisors', search: value ? { firm: Number(value) } : {} })}
            none="All firms"
            options={firms?.map(({ firmId, name }) => [firmId, name])}
          />
        }
        actions={(advisor) => (
          <span className="row-buttons">
            <RowButton what="Settings of" to={advisor.name} run={() => ask({ what: 'change', advisor })} />
            {advisor.disabled ? (
              <RowButton what="Enable" to={advisor.name} run={() => setDisabled(advisor, false)} />
            ) : (
              <>
                <RowButton what="Invite" to={advisor.name} run={() => ask({ what: 'invite', advisor })} />
                <RowButton what="Disable" to={advisor.name} run={() => ask({ what: 'disable', advisor })} isBad />
              </>
            )}
          </span>
        )}
      />
      {asked?.what === 'add' && <AdvisorForm firms={firms ?? []} firmId={firm} close={close} />}
      {asked?.what === 'change' && <AdvisorForm advisor={asked.advisor} firms={firms ?? []} close={close} />}
      {asked?.what === 'invite' && (
        <Ask
          title={`Invite ${asked.advisor.name}?`}
          action="Make a link"
          run={() => invite(asked.advisor)}
          close={close}
        >
          You get a link at which {asked.advisor.email} chooses a password: for the first sign-in, or a forgotten one.
          It works once, for 24 hours. Links from before stop working.
        </Ask>
      )}
      {asked?.what === 'disable' && (
        <Ask
          title={`Disable ${asked.advisor.name}?`}
          action="Disable the account"
          isBad
          run={() => setDisabled(asked.advisor, true)}
          close={close}
        >
          Nobody can sign in to the account, applications are refused for it, and its queued texts fail. You can enable
          it again.
        </Ask>
      )}
      {link && (
        <ShownOnce title="The invitation" values={{ Link: link }} close={() => setLink(null)}>
          Send it to the advisor alone. It is shown only now.
        </ShownOnce>
      )}
    </div>
  );
}
