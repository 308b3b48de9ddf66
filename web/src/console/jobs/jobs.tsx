import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { overview } from '../../../../server/src/http/console/operations.ts';
import { get } from '../../api/http.ts';
import { Broken, Chip, Loading } from '../../look/parts.tsx';
import { count } from '../../words/people.ts';
import type { AnswerOf } from '../answers.ts';
import { type Column, DataTable, whenColumn } from '../table.tsx';
import { Tile } from '../tile.tsx';
import { duration } from '../traffic/words.ts';
import { When } from '../when.tsx';

type Node = Overview['nodes'][number] & { isMissed?: boolean };
type Overview = AnswerOf<typeof overview>;

const liveMs = 3_000;
const lateSeconds = 10;
const roles: Record<string, string> = {
  all: 'Answers requests, sends texts',
  api: 'Answers requests',
  work: 'Sends texts, runs jobs',
};

/** The processes, and everything that waits for one of them. */
export function Jobs() {
  const { data, error } = useQuery({
    queryKey: ['/operations'],
    queryFn: () => get<Overview>('/operations'),
    refetchInterval: liveMs,
  });
  if (error && !data) return <Broken error={error} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Jobs</h1>
        <span className="soft">All nodes, now</span>
      </header>
      {data ? <Waiting {...data} /> : <Loading height={220} />}
      <DataTable
        name="processes"
        title="Processes"
        columns={columns}
        rows={data && [...data.missed.map((each) => ({ ...each, isMissed: true })), ...data.nodes]}
        keyOf={({ node }) => node}
        hasFilter={false}
        empty="None is running: nothing is answered or sent. Start one with assent serve."
      />
    </div>
  );
}

function Waiting({ texts, webhooks, archive }: Overview) {
  const isLate = texts.oldestWaitSeconds > lateSeconds;
  return (
    <ul className="tiles">
      <Tile name="Texts to send" value={texts.ready} tone={isLate ? 'bad' : undefined}>
        {texts.ready === 0 ? 'Nothing waits' : `the oldest for ${duration(texts.oldestWaitSeconds)}`}
      </Tile>
      <Tile name="With a carrier" value={texts.inFlight}>
        no answer yet
      </Tile>
      <Tile name="Later" value={texts.paced + texts.deferred}>
        {texts.paced} paced or retried, {texts.deferred} until morning
      </Tile>
      <Tile name="In doubt" value={texts.inDoubt} tone={texts.inDoubt > 0 ? 'warn' : undefined}>
        {texts.inDoubt > 0 ? <Link to="/doubts">Settle them</Link> : 'Nothing to settle'}
      </Tile>
      <Tile name="Held for a person" value={texts.held}>
        {count(texts.reviewsOpen, 'review')} open
      </Tile>
      <Tile name="Wait for a yes" value={texts.awaitingConsent}>
        until the person answers
      </Tile>
      <Tile name="Scheduled and due" value={texts.schedulesDue}>
        {texts.nextSchedule ? (
          <>
            the next at <When at={texts.nextSchedule} />
          </>
        ) : (
          'none to come'
        )}
      </Tile>
      <Tile name="Media to fetch" value={texts.mediaWaiting}>
        of replies
      </Tile>
      <Tile
        name="Webhook streams behind"
        value={texts.streamsBehind}
        tone={webhooks.failing + webhooks.off > 0 ? 'warn' : undefined}
      >
        <Link to="/webhooks">
          {webhooks.on} on, {webhooks.failing} failing, {webhooks.off} off
        </Link>
      </Tile>
      <Tile name="Entries to sign" value={archive.waiting}>
        {archive.signed.toLocaleString('en-US')} of {archive.entries.toLocaleString('en-US')} signed
      </Tile>
    </ul>
  );
}

const columns: Column<Node>[] = [
  { name: 'Process', text: ({ node }) => node, cell: ({ node }) => <code>{node}</code> },
  { name: 'Does', text: ({ role }) => roles[role] ?? role },
  {
    name: 'State',
    text: ({ halted, isMissed, seenAt }) => (isMissed ? `Gone since ${seenAt}` : (halted ?? 'Running')),
    cell: ({ halted, isMissed, seenAt }) =>
      isMissed ? (
        <span className="row">
          <Chip word="Gone" icon="alert-triangle" tone="bad" />
          <span>
            without having stopped; last seen <When at={seenAt} />
          </span>
        </span>
      ) : halted ? (
        <span className="wrap-cell">
          <Chip word="Sends nothing" icon="hand-stop" tone="bad" /> {halted}
        </span>
      ) : (
        <Chip word="Running" icon="circle-check" tone="good" />
      ),
  },
  whenColumn('Started', ({ startedAt }) => startedAt),
];
