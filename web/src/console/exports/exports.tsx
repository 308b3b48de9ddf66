import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { list } from '../../../../server/src/http/console/exports.ts';
import { useNow } from '../../api/clock.ts';
import { get, post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field } from '../../look/fields.tsx';
import { Broken, Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { dayAfter, dayOf } from '../../words/months.ts';
import { count } from '../../words/people.ts';
import { instantOf } from '../../words/schedules.ts';
import type { StateWord } from '../../words/states.ts';
import { shortDay } from '../../words/times.ts';
import type { RowOf } from '../answers.ts';
import { useFormAbout } from '../archive/about.ts';
import { advisorsQuery, checkingCommand, type ReadEntry } from '../archive/entries.ts';
import { CopyButton } from '../dialogs.tsx';
import { type Column, DataTable, whenColumn } from '../table.tsx';

type Export = RowOf<typeof list>;

const isUnderWay = ({ status }: Export) => status === 'waiting' || status === 'running';
const exportsQuery = {
  queryKey: ['exports'],
  queryFn: async () => (await get<{ data: Export[] }>('/exports')).data,
  refetchInterval: ({ state }: { state: { data?: Export[] | undefined } }) =>
    state.data?.some(isUnderWay) ? 1_000 : false,
} as const;

const states: Record<Export['status'], StateWord> = {
  waiting: { word: 'Waiting', icon: 'clock', tone: 'quiet' },
  running: { word: 'Being made', icon: 'hourglass', tone: 'brand' },
  ready: { word: 'Ready', icon: 'circle-check', tone: 'good' },
  failed: { word: 'Failed', icon: 'alert-triangle', tone: 'bad' },
  expired: { word: 'No longer kept', icon: 'archive', tone: 'quiet' },
};

/** Parts of the archive for an examiner, signed, with proofs. */
export function Exports() {
  const { data, error } = useQuery(exportsQuery);
  const advisors = useQuery(advisorsQuery).data;
  const { about, isOpen, open, close } = useFormAbout();
  const now = useNow();
  if (error && !data) return <Broken error={error} />;
  // Its days are those of the advisor's zone, as in the form that asked for them.
  const period = ({ advisorId, from, to }: Export) => {
    const zone = advisors?.find((each) => each.advisorId === advisorId)?.timeZone;
    return `${shortDay(Date.parse(from), now, zone)} to ${shortDay(Date.parse(to) - 1, now, zone)}`;
  };
  const columns: Column<Export>[] = [
    { name: 'Archive of', text: ({ advisor }) => advisor, cell: ({ advisor }) => <b>{advisor}</b> },
    { name: 'Period', text: period },
    { name: 'Contents', text: ({ format }) => (format === 'eml' ? 'Records and e-mails' : 'Records') },
    { name: 'Asked by', text: ({ by }) => by },
    whenColumn('Asked', ({ dateTimeCreated }) => dateTimeCreated),
    { name: 'State', text: stateText, cell: (each) => <Progress of={each} /> },
  ];
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Exports</h1>
        <Button icon="package-export" kind="main end" onClick={open}>
          Start an export
        </Button>
      </header>
      <p className="soft prose">
        An export is signed, and proves itself. Its file is kept for a day; each export and each download is an archive
        entry with the name of who did it.
      </p>
      <DataTable
        name="exports"
        columns={columns}
        rows={data}
        keyOf={({ exportId }) => exportId}
        empty="Nothing was exported from here yet."
        actions={({ status, exportId, bytes }) =>
          status === 'ready' && (
            <Button icon="download" kind="small" onClick={() => void save(exportId)}>
              Download, {sizeWords(bytes)}
            </Button>
          )
        }
      />
      <Checking />
      {isOpen && advisors && <StartExport of={about} advisors={advisors} close={close} />}
    </div>
  );
}

/** Records leave the firm with it: whoever signed in a while ago confirms that it is them. */
async function save(exportId: number): Promise<void> {
  await get('/exports/confirm').then(
    () => location.assign(`/console/api/exports/${exportId}/file`),
    (error) => toast(error.message),
  );
}

function stateText({ status, entriesTotal, reason }: Export): string {
  const entries = status === 'ready' && count(entriesTotal ?? 0, 'entry', 'entries');
  return [states[status].word, entries, reason].filter(Boolean).join(', ');
}

/** What to tell an examiner. */
function Checking() {
  return (
    <section className="console-card form" aria-labelledby="checking">
      <h2 id="checking">How an examiner checks it, without us</h2>
      <p className="prose">
        They unpack the export, put{' '}
        <a className="in-text" href="/console/api/exports/verify.mjs" download>
          verify.mjs
        </a>{' '}
        into its folder, and run one command there, with Node.js and nothing else. It says “intact”, or names the first
        entry that was altered, inserted or is missing.
      </p>
      <div className="shown-once">
        <code>{checkingCommand}</code>
        <CopyButton what="The command" value={checkingCommand} />
      </div>
      <p className="small soft prose">
        It proves more with a checkpoint and a public key that came by another way than the export: ask your operator
        for the key, and for a checkpoint from the copies outside.
      </p>
    </section>
  );
}

function Progress({ of: { status, entriesDone, entriesTotal, reason } }: { of: Export }) {
  return (
    <span className="row">
      <Chip {...states[status]} />
      {status === 'running' && entriesTotal !== null && (
        <>
          <progress max={Math.max(1, entriesTotal)} value={entriesDone} aria-label="Entries written" />
          <span className="small soft number">
            {entriesDone.toLocaleString('en-US')} of {count(entriesTotal, 'entry', 'entries')}
          </span>
        </>
      )}
      {status === 'ready' && <span className="small soft number">{count(entriesTotal ?? 0, 'entry', 'entries')}</span>}
      {reason && <span className="small soft">{reason}</span>}
    </span>
  );
}

type Advisors = Awaited<ReturnType<typeof advisorsQuery.queryFn>>;

function StartExport({ of: about, advisors, close }: { of: ReadEntry | undefined; advisors: Advisors; close(): void }) {
  const client = useQueryClient();
  const [advisorId, setAdvisor] = useState(String(about?.advisorId ?? ''));
  const [day] = useState(() => {
    const zone = advisors.find((each) => each.advisorId === about?.advisorId)?.timeZone ?? 'UTC';
    return about ? dayOf(Date.parse(about.dateTime), zone) : '';
  });
  const [from, setFrom] = useState(day);
  const [to, setTo] = useState(day);
  const [format, setFormat] = useState<Export['format']>('eml');
  const advisor = advisors.find((each) => String(each.advisorId) === advisorId);
  const moment = (day: string) => new Date(instantOf(`${day}T00:00`, advisor?.timeZone ?? 'UTC') ?? 0).toISOString();
  return (
    <FormDialog
      title="Start an export"
      action="Start the export"
      isReady={Boolean(advisor && from && to && from <= to)}
      close={close}
      run={async () => {
        const body = { advisorId: Number(advisorId), from: moment(from), to: moment(dayAfter(to)), format };
        await post('/exports', { body });
        toast('The export has started. You can leave this page.');
        await client.invalidateQueries({ queryKey: exportsQuery.queryKey });
      }}
    >
      <Choice
        label="Archive of"
        value={advisorId}
        choose={setAdvisor}
        none="Choose an advisor"
        options={advisors.map(({ advisorId, name }) => [advisorId, name])}
      />
      <div className="two">
        <Field label="First day" type="date" value={from} set={setFrom} />
        <Field label="Last day" type="date" value={to} set={setTo} />
      </div>
      <Choice
        label="Contents"
        value={format}
        choose={(value) => setFormat(value as Export['format'])}
        options={[
          ['eml', 'Records with proofs, and an e-mail for each text'],
          ['ndjson', 'Records with proofs'],
        ]}
      />
      <p className="small soft">
        Days are those of the advisor’s time zone. Everything of these days is in it, also what isn’t a text.
      </p>
    </FormDialog>
  );
}

function sizeWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
