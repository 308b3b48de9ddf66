import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { read } from '../../../../server/src/http/console/alerts.ts';
import { get, post, remove } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Field } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import type { StateWord } from '../../words/states.ts';
import type { AnswerOf } from '../answers.ts';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, RowButton, whenColumn } from '../table.tsx';
import { When } from '../when.tsx';

type Target = Alerts['targets'][number];
type SentAlert = Alerts['sent'][number];
type Alerts = AnswerOf<typeof read>;

/** Who is told when something needs a person, what is wrong now, and what was sent. */
export function Alerts() {
  const { data, error } = useQuery({
    queryKey: ['/alerts'],
    queryFn: () => get<Alerts>('/alerts'),
    refetchInterval: 10_000,
  });
  const [isAdding, add] = useState(false);
  const [removed, setRemoved] = useState<Target | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  if (error && !data) return <Broken error={error} />;
  const addressOf = (targetId: number) => data?.targets.find((each) => each.targetId === targetId)?.address ?? null;
  const test = async ({ targetId, address }: Target) => {
    const { fault } = await post<{ fault: string | null }>(`/alerts/targets/${targetId}/test`);
    toast(fault ? `It didn’t arrive: ${fault}` : `A test is on its way to ${address}.`);
    await refresh('/alerts');
  };
  const removeIt = async ({ targetId }: Target) => {
    await remove(`/alerts/targets/${targetId}`);
    await refresh('/alerts');
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Alerts</h1>
        <Button icon="plus" kind="main end" onClick={() => add(true)} disabled={!data}>
          Tell somebody
        </Button>
      </header>
      <p className="soft prose">
        When a carrier is down, the archive doesn’t verify or a backup is a day old, everybody below is told: once when
        it has lasted a minute, and once when it is over.
      </p>
      {data?.open.map(({ about, says, dateTimeBegun }) => (
        <p className="hint bad" key={about}>
          <Icon name="alert-triangle" />
          <span className="grow">
            <b>{aboutWords(about)}</b>, since <When at={dateTimeBegun} />. {says}
          </span>
          <Link to="/doctor">What to do</Link>
        </p>
      ))}
      <DataTable
        name="targets"
        title="Who is told"
        columns={targetColumns}
        rows={data?.targets}
        keyOf={({ targetId }) => targetId}
        hasFilter={false}
        empty="Nobody is told yet. Add a webhook of your on-call service, or a mail address."
        actions={(target) => (
          <span className="row-buttons">
            <RowButton what="Test" to={target.address} run={() => test(target)} />
            <RowButton what="Remove" to={target.address} run={() => setRemoved(target)} isBad />
          </span>
        )}
      />
      <DataTable
        name="alerts sent"
        title="Sent in the last 90 days"
        columns={sentColumns(addressOf)}
        rows={data?.sent}
        keyOf={({ deliveryId }) => deliveryId}
        hasFilter={false}
        empty="Nothing was sent."
      />
      {isAdding && data && <AddTarget canMail={data.canMail} close={() => add(false)} added={setSecret} />}
      {removed && (
        <Ask
          title={`Stop telling ${removed.address}?`}
          action="Remove"
          isBad
          run={() => removeIt(removed)}
          close={() => setRemoved(null)}
        >
          It is told nothing more. You can add it again; a webhook gets another secret then.
        </Ask>
      )}
      {secret && (
        <ShownOnce title="The webhook is added" values={{ Secret: secret }} close={() => setSecret(null)}>
          Copy the secret now, to check the signatures with. Nobody can show it again.
        </ShownOnce>
      )}
    </div>
  );
}

function AddTarget({ canMail, close, added }: { canMail: boolean; close(): void; added(secret: string | null): void }) {
  const [kind, setKind] = useState<Target['kind']>('webhook');
  const [address, setAddress] = useState('');
  const run = async () => {
    const body = { kind, address: address.trim() };
    added((await post<{ secret: string | null }>('/alerts/targets', { body })).secret);
    await refresh('/alerts');
  };
  return (
    <FormDialog title="Tell somebody" action="Add" run={run} close={close} isReady={address.trim() !== ''}>
      <fieldset className="choices">
        <legend>How</legend>
        <label className="row">
          <input type="radio" name="kind" checked={kind === 'webhook'} onChange={() => setKind('webhook')} />
          by a webhook, signed like those of applications
        </label>
        <label className="row">
          <input
            type="radio"
            name="kind"
            checked={kind === 'mail'}
            onChange={() => setKind('mail')}
            disabled={!canMail}
          />
          by mail
        </label>
      </fieldset>
      {!canMail && (
        <p className="small soft">
          Mail goes out by a command of yours: set <code>ALERT_MAIL_COMMAND</code>, such as <code>sendmail -t</code>,
          for every process.
        </p>
      )}
      <Field
        label={kind === 'mail' ? 'Mail address' : 'Address'}
        type={kind === 'mail' ? 'email' : 'url'}
        value={address}
        placeholder={kind === 'mail' ? 'on-call@firm.example' : 'https://on-call.example/hook'}
        set={setAddress}
      />
    </FormDialog>
  );
}

const targetColumns: Column<Target>[] = [
  { name: 'Address', text: ({ address }) => address, cell: ({ address }) => <b className="wrap-cell">{address}</b> },
  { name: 'How', text: ({ kind }) => (kind === 'mail' ? 'By mail' : 'By webhook') },
  whenColumn('Since', ({ dateTimeCreated }) => dateTimeCreated),
];

const states: Record<SentAlert['state'], StateWord> = {
  begun: { word: 'Began', icon: 'alert-triangle', tone: 'bad' },
  over: { word: 'Over', icon: 'circle-check', tone: 'good' },
  test: { word: 'Test', icon: 'bell', tone: 'quiet' },
};

function sentColumns(addressOf: (targetId: number) => string | null): Column<SentAlert>[] {
  return [
    whenColumn('When', ({ dateTimeCreated }) => dateTimeCreated),
    { name: 'What', text: ({ state }) => states[state].word, cell: ({ state }) => <Chip {...states[state]} /> },
    { name: 'About', text: ({ about }) => aboutWords(about) },
    { name: 'Says', text: ({ says }) => says, cell: ({ says }) => <span className="wrap-cell">{says}</span> },
    { name: 'To', text: ({ targetId }) => addressOf(targetId) },
    {
      name: 'Outcome',
      text: ({ fault, notBefore }) => fault ?? (notBefore ? 'On its way' : 'Arrived'),
      cell: ({ fault, notBefore }) =>
        fault ? (
          <span className="wrap-cell tone bad">{notBefore ? `${fault} It is tried again.` : fault}</span>
        ) : (
          <Chip
            word={notBefore ? 'On its way' : 'Arrived'}
            icon={notBefore ? 'clock' : 'check'}
            tone={notBefore ? 'quiet' : 'good'}
          />
        ),
    },
  ];
}

function aboutWords(about: string): string {
  if (about.startsWith('carrier:')) return `Carrier ${about.slice('carrier:'.length)}`;
  return { archive: 'The archive', verification: 'The archive', backup: 'The backup', test: 'Nothing' }[about] ?? about;
}
