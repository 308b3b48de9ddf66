import { Link } from '@tanstack/react-router';
import { Chip } from '../../look/parts.tsx';
import { type Column, DataTable } from '../table.tsx';
import type { CarrierNow, CarrierTraffic, KeyTraffic, Traffic } from './queries.ts';
import { callerName, count, milliseconds, pace, problemName, share, stateOf } from './words.ts';

type Carrier = CarrierNow & { traffic: CarrierTraffic | undefined };

const lostOf = ({ traffic }: Carrier) => (traffic ? traffic.texts.failed + traffic.texts.undelivered : 0);
const endedOf = (carrier: Carrier) => lostOf(carrier) + (carrier.traffic?.texts.delivered ?? 0);
const ms = (value: number | null | undefined) => (typeof value === 'number' ? `${milliseconds(value)} ms` : '–');

const carrierColumns: Column<Carrier>[] = [
  {
    name: 'Carrier',
    text: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/carriers">
        <b>{name}</b>
      </Link>
    ),
  },
  {
    name: 'State',
    text: (carrier) => stateOf(carrier).word,
    cell: (carrier) => (
      <span title={carrier.fault ?? undefined}>
        <Chip {...stateOf(carrier)} />
      </span>
    ),
  },
  {
    name: 'Pace',
    text: ({ perSecond }) => Math.round(perSecond * 10) / 10,
    cell: ({ perSecond }) => pace(perSecond),
    isNumber: true,
  },
  {
    name: 'Latency',
    text: ({ traffic }) => traffic?.p50 ?? null,
    cell: ({ traffic }) => ms(traffic?.p50),
    isNumber: true,
  },
  {
    name: 'Failed',
    text: (carrier) => (endedOf(carrier) === 0 ? null : lostOf(carrier) / endedOf(carrier)),
    cell: (carrier) => share(lostOf(carrier), endedOf(carrier)),
    isNumber: true,
  },
  { name: 'Waiting', text: ({ waiting }) => waiting, isNumber: true },
  { name: 'In doubt', text: ({ inDoubt }) => inDoubt, isNumber: true },
];

/** How each carrier does now, and how it did in the time shown. */
export function CarrierTable({
  carriers,
  present,
}: {
  carriers: CarrierTraffic[] | undefined;
  present: CarrierNow[] | undefined;
}) {
  const rows = present?.map((carrier) => ({
    ...carrier,
    traffic: carriers?.find(({ carrierId }) => carrierId === carrier.carrierId),
  }));
  return (
    <div className="traffic-part">
      <h2>Carriers</h2>
      <DataTable
        name="carriers"
        columns={carrierColumns}
        rows={rows}
        keyOf={({ carrierId }) => carrierId}
        hasFilter={false}
        empty="No carrier is set up."
      />
    </div>
  );
}

/** More than this share of errors is somebody's mistake, and worth a look. */
const manyErrors = 0.05;
const errorsOf = ({ refused, failed }: KeyTraffic) => refused + failed;

const keyColumns: Column<KeyTraffic>[] = [
  {
    name: 'Application',
    text: callerName,
    cell: (row) => (
      <Link to="/traffic" search={(before: object) => ({ ...before, key: row.keyId })}>
        <b>{callerName(row)}</b>
      </Link>
    ),
  },
  { name: 'Key', text: ({ key }) => (key ? `${key.hint}${key.revoked ? ', revoked' : ''}` : null) },
  { name: 'Requests', text: ({ all }) => all, isNumber: true },
  {
    name: 'Errors',
    text: (row) => (row.all === 0 ? null : errorsOf(row) / row.all),
    cell: (row) => (
      <span className={row.all > 0 && errorsOf(row) / row.all > manyErrors ? 'tone bad traffic-bad' : undefined}>
        {share(errorsOf(row), row.all)}
      </span>
    ),
    isNumber: true,
  },
  { name: 'Failed on our side', text: ({ failed }) => failed, isNumber: true },
  { name: 'p50', text: ({ p50 }) => p50, cell: ({ p50 }) => ms(p50), isNumber: true },
  { name: 'p99', text: ({ p99 }) => p99, cell: ({ p99 }) => ms(p99), isNumber: true },
  { name: 'Of its plan today', text: planText, cell: (row) => <Plan row={row} /> },
];

function planText({ key }: KeyTraffic): string {
  if (!key) return '';
  if (key.dailyQuota) return `${count(key.usedToday)} of ${count(key.dailyQuota)}`;
  return key.ratePerSecond ? `${count(key.ratePerSecond)}/s, no daily limit` : 'No limit';
}

const barWidth = 72;

function Plan({ row }: { row: KeyTraffic }) {
  const { key } = row;
  if (!key?.dailyQuota) return <span className="soft">{planText(row) || '–'}</span>;
  const used = Math.min(1, key.usedToday / key.dailyQuota);
  return (
    <span className="row" title={planText(row)}>
      <svg className="traffic-plan" width={barWidth} height={6} aria-hidden="true">
        <rect width={barWidth} height={6} rx={3} />
        <rect className={used > 0.9 ? 'full' : 'used'} width={Math.max(used * barWidth, 3)} height={6} rx={3} />
      </svg>
      {share(key.usedToday, key.dailyQuota)}
    </span>
  );
}

export function KeyTable({ keys, chosen }: { keys: KeyTraffic[] | undefined; chosen: number | undefined }) {
  const rows = chosen === undefined ? keys : keys?.filter(({ keyId }) => keyId === chosen);
  return (
    <div className="traffic-part">
      <h2>Applications</h2>
      <DataTable
        name="applications"
        columns={keyColumns}
        rows={rows}
        keyOf={({ keyId }) => keyId}
        empty="No application has a key."
      />
    </div>
  );
}

type Problem = Traffic['problems'][number] & { of: number };

const problemColumns: Column<Problem>[] = [
  { name: 'Why', text: ({ code }) => problemName(code), cell: ({ code }) => <b>{problemName(code)}</b> },
  { name: 'Requests', text: ({ amount }) => amount, isNumber: true },
  {
    name: 'Share',
    text: ({ amount, of }) => amount / of,
    cell: ({ amount, of }) => share(amount, of),
    isNumber: true,
  },
];

/** What requests were refused or failed for. */
export function ProblemTable({ traffic }: { traffic: Traffic | undefined }) {
  const rows = traffic?.problems.map((each) => ({ ...each, of: traffic.totals.requests.all }));
  return (
    <div className="traffic-part">
      <h2>Errors</h2>
      <DataTable
        name="errors"
        columns={problemColumns}
        rows={rows}
        keyOf={({ code }) => code}
        hasFilter={false}
        empty="Every request was answered."
      />
    </div>
  );
}
