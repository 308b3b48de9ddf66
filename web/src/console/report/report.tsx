import './report.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { show } from '../../../../server/src/http/console/report.ts';
import { now } from '../../api/clock.ts';
import { get } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Label, Tabs, Wrong } from '../../look/fields.tsx';
import { Broken, Loading } from '../../look/parts.tsx';
import { dayAfter, dayOf } from '../../words/months.ts';
import { count } from '../../words/people.ts';
import { instantOf } from '../../words/schedules.ts';
import { ownZone } from '../../words/times.ts';
import type { AnswerOf } from '../answers.ts';
import { DayField } from '../day-field.tsx';
import { viewNames } from '../reviews/words.ts';
import { useSession } from '../session.ts';
import { type Column, DataTable, whenColumn } from '../table.tsx';
import { When } from '../when.tsx';
import { type Period, periods, range, took } from './periods.ts';

type DecisionTotals = ReviewReport['all'];
type Work = ReviewReport['work'][number];
type Open = ReviewReport['open'][number];
type ReviewReport = AnswerOf<typeof show>;

const reportQuery = ({ from, until }: { from: number; until: number }) => ({
  queryKey: ['report', from, until],
  queryFn: () =>
    get<ReviewReport>('/report', {
      query: { from: new Date(from).toISOString(), until: new Date(until).toISOString() },
    }),
});

/** Who reviewed what in a period, how fast, and what is still open: to read, to save and to print. */
export function Report() {
  const { staff } = useSession();
  const [period, setPeriod] = useState<Period>('last30');
  const [days, setDays] = useState(() => range('last30', now()));
  const { data, error, refetch } = useQuery(reportQuery(days));
  return (
    <div className="console-page report">
      <header className="console-head">
        <h1>Supervision report</h1>
        <span className="soft">{staff.firmName}</span>
        <Button icon="printer" kind="end" onClick={() => print()}>
          Print
        </Button>
      </header>
      <Tabs
        className="report-periods no-print"
        label="Period"
        options={periods}
        chosen={period}
        choose={(each) => {
          setPeriod(each);
          if (each !== 'custom') setDays(range(each, now()));
        }}
      />
      {period === 'custom' && <Days days={days} set={setDays} />}
      {error && !data ? (
        <Broken error={error} retry={() => void refetch()} />
      ) : data ? (
        <>
          <p className="soft">
            {dayWords(days.from)} to {dayWords(days.until - 1)}. As of <When at={data.asOf} />.
          </p>
          <Summary report={data} />
          <Sections report={data} />
        </>
      ) : (
        <Loading height={320} />
      )}
    </div>
  );
}

function Summary({ report: { opened, all, open } }: { report: ReviewReport }) {
  const left = open.reduce((sum, each) => sum + each.open, 0);
  const old = open.reduce((sum, each) => sum + each.overThreeDays, 0);
  return (
    <dl className="report-figures">
      <Figure name="Opened" value={opened.toLocaleString('en-US')} />
      <Figure
        name="Decided"
        value={all.decided.toLocaleString('en-US')}
        more={`${count(all.approved, 'approved', 'approved')}, ${count(all.rejected, 'rejected', 'rejected')}`}
      />
      <Figure
        name="Time to a decision"
        value={all.decided > 0 ? took(all.medianSeconds) : '–'}
        more={all.decided > 0 ? `median; the slowest took ${took(all.slowestSeconds)}` : 'nothing was decided'}
      />
      <Figure
        name="Still open now"
        value={left.toLocaleString('en-US')}
        more={old > 0 ? `${count(old, 'is', 'are')} older than 3 days` : 'none older than 3 days'}
      />
    </dl>
  );
}

function Figure({ name, value, more }: { name: string; value: string; more?: string }) {
  return (
    <div className="console-card">
      <dt className="small soft">{name}</dt>
      <dd className="report-value number">{value}</dd>
      {more && <dd className="small soft">{more}</dd>}
    </div>
  );
}

function decidedColumns<Row extends DecisionTotals>(): Column<Row>[] {
  return [
    { name: 'Decided', text: ({ decided }) => decided, isNumber: true },
    { name: 'Approved', text: ({ approved }) => approved, isNumber: true },
    { name: 'Rejected', text: ({ rejected }) => rejected, isNumber: true },
    { name: 'Median minutes', text: ({ medianSeconds }) => minutes(medianSeconds), isNumber: true },
    { name: 'Slowest minutes', text: ({ slowestSeconds }) => minutes(slowestSeconds), isNumber: true },
  ];
}

const byPerson: Column<Work>[] = [
  { name: 'Reviewer', text: ({ name }) => name },
  { name: 'Kind', text: ({ kind }) => viewNames[kind] },
  ...decidedColumns<Work>(),
];
const byReviewer: Column<ReviewReport['people'][number]>[] = [
  { name: 'Reviewer', text: ({ name }) => name },
  ...decidedColumns<ReviewReport['people'][number]>(),
];
const byKind: Column<ReviewReport['kinds'][number]>[] = [
  { name: 'Kind', text: ({ kind }) => viewNames[kind] },
  ...decidedColumns<ReviewReport['kinds'][number]>(),
];
const stillOpen: Column<Open>[] = [
  { name: 'Kind', text: ({ kind }) => viewNames[kind] },
  { name: 'Open', text: ({ open }) => open, isNumber: true },
  { name: 'Over 1 day', text: ({ overDay }) => overDay, isNumber: true },
  { name: 'Over 3 days', text: ({ overThreeDays }) => overThreeDays, isNumber: true },
  { name: 'Over a week', text: ({ overWeek }) => overWeek, isNumber: true },
  whenColumn('Oldest', ({ oldest }) => oldest),
];

function Sections({ report }: { report: ReviewReport }) {
  const common = { hasFilter: false, empty: 'Nothing was decided in this period.' };
  return (
    <>
      <DataTable
        {...common}
        title="By reviewer"
        name="reviews by reviewer"
        columns={byReviewer}
        rows={report.people}
        keyOf={({ staffId }) => staffId}
      />
      <DataTable
        {...common}
        title="By kind"
        name="reviews by kind"
        columns={byKind}
        rows={report.kinds}
        keyOf={({ kind }) => kind}
      />
      <DataTable
        {...common}
        title="Who reviewed what"
        name="who reviewed what"
        columns={byPerson}
        rows={report.work}
        keyOf={({ staffId, kind }) => `${staffId} ${kind}`}
      />
      <DataTable
        {...common}
        title="Still open now"
        name="open reviews"
        columns={stillOpen}
        rows={report.open}
        keyOf={({ kind }) => kind}
        empty="Nothing is open."
      />
    </>
  );
}

function Days({
  days,
  set,
}: {
  days: { from: number; until: number };
  set(days: { from: number; until: number }): void;
}) {
  const [given, give] = useState({ first: dayOf(days.from, ownZone), last: dayOf(days.until - 1, ownZone) });
  const isPeriod = given.first !== '' && given.first <= given.last;
  const change = (part: Partial<typeof given>) => {
    const { first, last } = { ...given, ...part };
    give({ first, last });
    // The last day is part of the period.
    const [from, until] = [first, last && dayAfter(last)].map((day) => instantOf(`${day}T00:00`, ownZone));
    if (from && until && from < until) set({ from, until });
  };
  return (
    <div className="report-days no-print">
      <div className="row wrap">
        <Label label="First day">
          <DayField day={given.first} set={(first) => change({ first })} />
        </Label>
        <Label label="Last day">
          <DayField day={given.last} set={(last) => change({ last })} />
        </Label>
      </div>
      {!isPeriod && <Wrong>Choose a first day, and a last one that isn’t before it.</Wrong>}
    </div>
  );
}

function dayWords(at: number): string {
  return new Date(at).toLocaleDateString('en-US', { month: 'long', day: 'numeric', year: 'numeric' });
}

function minutes(seconds: number): number {
  return Math.round(seconds / 6) / 10;
}
