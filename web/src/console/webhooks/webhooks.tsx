import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field, Tick } from '../../look/fields.tsx';
import { Broken, Chip } from '../../look/parts.tsx';
import { applicationsQuery } from '../applications/queries.ts';
import { ShownOnce } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, whenColumn } from '../table.tsx';
import { stateOf, typesWords, type Webhook, webhooksQuery } from './queries.ts';

/** Where events are pushed to, and whether they arrive. */
export function Webhooks() {
  const { data, error } = useQuery(webhooksQuery);
  const [isAdding, add] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  if (error && !data) return <Broken error={error} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Webhooks</h1>
        <Button icon="plus" kind="main end" onClick={() => add(true)} disabled={!data}>
          Add a webhook
        </Button>
      </header>
      <DataTable
        name="webhooks"
        columns={columns}
        rows={data?.data}
        keyOf={({ webhookId }) => webhookId}
        empty="No application has a webhook. It can read the feed of events instead."
      />
      {isAdding && data && <AddWebhook types={data.types} close={() => add(false)} added={setSecret} />}
      {secret && (
        <ShownOnce title="The webhook is added" values={{ Secret: secret }} close={() => setSecret(null)}>
          Copy the secret now, for the developer who verifies signatures. You can’t view it again, but you can make a
          new one.
        </ShownOnce>
      )}
    </div>
  );
}

const columns: Column<Webhook>[] = [
  {
    name: 'Application',
    text: ({ application }) => application,
    cell: ({ application, webhookId }) => (
      <Link to="/webhooks/$webhookId" params={{ webhookId: String(webhookId) }}>
        <b>{application}</b>
      </Link>
    ),
  },
  { name: 'Address', text: ({ url }) => url, cell: ({ url }) => <span className="wrap-cell">{url}</span> },
  { name: 'State', text: (webhook) => stateOf(webhook).word, cell: (webhook) => <Chip {...stateOf(webhook)} /> },
  whenColumn('Since', ({ since }) => since),
  { name: 'Details', text: ({ reason }) => reason },
  { name: 'Events', text: typesWords },
];

function AddWebhook({ types, close, added }: { types: readonly string[]; close(): void; added(secret: string): void }) {
  const applications = useQuery(applicationsQuery).data?.data.filter(({ disabled }) => !disabled);
  const [clientId, choose] = useState('');
  const [url, setUrl] = useState('');
  const [chosen, want] = useState(new Set<string>());
  const run = async () => {
    const body = { url: url.trim(), ...(chosen.size > 0 && { types: [...chosen] }) };
    added((await post<{ secret: string }>(`/applications/${clientId}/webhooks`, { body })).secret);
    await refresh('/webhooks');
  };
  return (
    <FormDialog
      title="Add a webhook"
      action="Add"
      run={run}
      close={close}
      isReady={clientId !== '' && url.trim() !== ''}
    >
      <Choice
        label="Application"
        value={clientId}
        choose={choose}
        none="Choose …"
        options={applications?.map((each) => [each.clientId, each.name])}
      />
      <Field label="Address" type="url" value={url} placeholder="https://partner.example/hook" set={setUrl} />
      <fieldset className="choices">
        <legend>Only these events; none selected means all</legend>
        {types.map((type) => (
          <Tick
            key={type}
            isOn={chosen.has(type)}
            set={() => want((before) => before.symmetricDifference(new Set([type])))}
          >
            <code>{type}</code>
          </Tick>
        ))}
      </fieldset>
    </FormDialog>
  );
}
