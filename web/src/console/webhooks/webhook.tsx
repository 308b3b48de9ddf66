import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { post, remove } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Fact } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { NotFound } from '../shell.tsx';
import { type Column, DataTable, whenColumn } from '../table.tsx';
import { When } from '../when.tsx';
import {
  type Webhook as AWebhook,
  type Delivery,
  deliveriesQuery,
  stateOf,
  typesWords,
  webhooksQuery,
} from './queries.ts';

/** One endpoint, and its deliveries of the last week. */
export function Webhook() {
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' });
  const { data, error } = useQuery(webhooksQuery);
  if (error && !data) return <Broken error={error} />;
  if (!data) return null;
  const webhook = data.data.find((each) => String(each.webhookId) === webhookId);
  return webhook ? <Page webhook={webhook} key={webhookId} /> : <NotFound />;
}

function Page({ webhook }: { webhook: AWebhook }) {
  const { webhookId, application, url, status } = webhook;
  const path = `/webhooks/${webhookId}`;
  const navigate = useNavigate();
  const deliveries = useQuery(deliveriesQuery(webhookId)).data;
  const [asked, ask] = useState<'rotate' | 'disable' | 'remove' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => ask(null);
  const told = async (delivery: Promise<Delivery>) => {
    try {
      const { succeeded, status, why } = await delivery;
      toast(succeeded ? `It arrived: ${status}.` : `It didn’t arrive: ${status ? `${status}.` : why}`);
    } catch (error) {
      toast((error as Error).message);
    }
    await refresh('/webhooks', `${path}/deliveries`);
  };
  const enable = async () => {
    await post(`${path}/enable`).catch((error) => toast(error.message));
    await refresh('/webhooks');
  };
  const rotate = async () => setSecret((await post<{ secret: string }>(`${path}/secret`)).secret);
  const disable = async () => {
    await post(`${path}/disable`);
    await refresh('/webhooks');
  };
  const removeIt = async () => {
    await remove(path);
    await refresh('/webhooks');
    await navigate({ to: '/webhooks' });
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <Link to="/webhooks" className="button quiet square" aria-label="All webhooks">
          <Icon name="chevron-left" />
        </Link>
        <h1>{application}</h1>
        <Chip {...stateOf(webhook)} />
        <div className="row wrap end">
          <Button icon="send" onClick={() => void told(post<Delivery>(`${path}/test`))}>
            Test
          </Button>
          {status !== 'on' && <Button onClick={() => void enable()}>Resume</Button>}
          {status !== 'off' && <Button onClick={() => ask('disable')}>Stop</Button>}
          <Button onClick={() => ask('rotate')}>New secret</Button>
          <Button kind="bad" onClick={() => ask('remove')}>
            Remove
          </Button>
        </div>
      </header>
      <section className="console-card">
        <dl className="facts">
          <Fact name="Address">{url}</Fact>
          <Fact name="Events">{typesWords(webhook)}</Fact>
          {webhook.since && (
            <Fact name={status === 'off' ? 'Off since' : 'Failing since'}>
              <When at={webhook.since} />, {webhook.reason}
            </Fact>
          )}
        </dl>
      </section>
      <DataTable
        name="deliveries"
        title="Deliveries"
        columns={columns}
        rows={deliveries}
        keyOf={({ eventId, attempt, dateTime }) => `${eventId} ${attempt} ${dateTime}`}
        empty="Nothing was pushed in the last week."
        actions={({ eventId }) => (
          <Button kind="small" onClick={() => void told(post<Delivery>(`${path}/redeliver`, { body: { eventId } }))}>
            Push again
          </Button>
        )}
      />
      {asked === 'rotate' && (
        <Ask title="Make a new secret?" action="Make a new secret" run={rotate} close={close}>
          For one day, events are signed with both, so that {application} can change over.
        </Ask>
      )}
      {asked === 'disable' && (
        <Ask title="Stop pushing events?" action="Stop" isBad run={disable} close={close}>
          Events are kept. When you resume, pushing goes on where it stopped.
        </Ask>
      )}
      {asked === 'remove' && (
        <Ask title="Remove the webhook?" action="Remove it" isBad run={removeIt} close={close}>
          What {application} wasn’t told yet, it is never told here. It can still read the feed of events.
        </Ask>
      )}
      {secret && (
        <ShownOnce title="The new secret" values={{ Secret: secret }} close={() => setSecret(null)}>
          Copy it now. Nobody can show it again.
        </ShownOnce>
      )}
    </div>
  );
}

const columns: Column<Delivery>[] = [
  whenColumn('When', ({ dateTime }) => dateTime),
  { name: 'Event', text: ({ type }) => type, cell: ({ type }) => <code>{type}</code> },
  {
    name: 'Answer',
    text: ({ status, why }) => status ?? why,
    cell: ({ status, succeeded, why }) =>
      succeeded ? (
        <Chip word={String(status)} icon="circle-check" tone="good" />
      ) : (
        <span className="wrap-cell">
          <Chip word={status ? String(status) : 'None'} icon="alert-triangle" tone="bad" /> {why}
        </span>
      ),
  },
  { name: 'Attempt', text: ({ attempt }) => attempt, isNumber: true },
  { name: 'Took', text: ({ durationMs }) => durationMs, cell: ({ durationMs }) => `${durationMs} ms`, isNumber: true },
];
