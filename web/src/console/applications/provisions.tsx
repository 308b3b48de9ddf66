import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { put, remove } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice } from '../../look/fields.tsx';
import { toast } from '../../shell/toasts.tsx';
import { advisorsQuery } from '../advisors/queries.ts';
import { Ask } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { RowButton } from '../table.tsx';
import { type Application, provisionsQuery } from './queries.ts';

/** The advisors for whom it may text with its own credentials, without being allowed by them. */
export function Provisions({ application: { clientId, name, disabled } }: { application: Application }) {
  const path = `/applications/${clientId}/provisions`;
  const { data } = useQuery(provisionsQuery(clientId));
  const [isAdding, add] = useState(false);
  const [ended, end] = useState<{ advisorId: number; name: string } | null>(null);
  const unprovision = async (advisorId: number) => {
    await remove(`${path}/${advisorId}`);
    await refresh(path);
    toast('It can’t text for them any more.');
  };
  return (
    <section className="console-card">
      <div className="row section-head">
        <h2>Texts with client credentials for</h2>
        <Button icon="user-plus" kind="end" onClick={() => add(true)} disabled={disabled}>
          Add an advisor
        </Button>
      </div>
      {data?.length === 0 && (
        <p className="soft">Nobody. It acts for advisors who allow it, and for those that you add here.</p>
      )}
      <ul className="lines">
        {data?.map((advisor) => (
          <li className="row" key={advisor.advisorId}>
            <span className="grow">{advisor.name}</span>
            <RowButton what="Remove" to={advisor.name} run={() => end(advisor)} />
          </li>
        ))}
      </ul>
      {isAdding && <AddProvision path={path} has={data ?? []} close={() => add(false)} />}
      {ended && (
        <Ask
          title={`Stop ${name} from texting for ${ended.name}?`}
          action="Stop it"
          isBad
          run={() => unprovision(ended.advisorId)}
          close={() => end(null)}
        >
          The tokens that it got this way end within a second. You can add the advisor again.
        </Ask>
      )}
    </section>
  );
}

function AddProvision({ path, has, close }: { path: string; has: { advisorId: number }[]; close(): void }) {
  const { data } = useQuery(advisorsQuery);
  const [advisorId, choose] = useState('');
  const others = data?.filter((each) => !each.disabled && !has.some((known) => known.advisorId === each.advisorId));
  const run = async () => {
    await put(`${path}/${advisorId}`);
    await refresh(path);
  };
  return (
    <FormDialog title="Let it text for an advisor" action="Add" run={run} close={close} isReady={advisorId !== ''}>
      <Choice
        label="Advisor"
        value={advisorId}
        choose={choose}
        none="Choose …"
        options={others?.map((each) => [each.advisorId, `${each.name}, ${each.email}`])}
      />
      <p className="small soft">
        It may text in their name without asking them. They can end it in their own settings.
      </p>
    </FormDialog>
  );
}
