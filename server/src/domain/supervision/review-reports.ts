import type { Deps } from '../../deps.ts';
import type { DecidedRow, ReportPeriod } from '../../store/supervision/review-reports.ts';
import * as store from '../../store/supervision/review-reports.ts';
import type { ReviewKind } from '../../store/supervision/reviews.ts';
import { problem } from '../problems.ts';
import { dayMs } from '../shared/time.ts';

const daysMax = 3 * 366;

/** Who reviewed what in a period, how fast, and what is still open now. `work` has one row per person and kind. */
export async function readReport({ db, clock }: Deps, firmId: number, period: ReportPeriod) {
  const { from, until } = period;
  if (!(from < until)) throw problem('invalid_request', 'The period must end after it begins.');
  if (until.getTime() - from.getTime() > daysMax * dayMs)
    throw problem('invalid_request', 'The period can have at most three years.');
  const asOf = clock.now();
  const [[all], people, kinds, work, opened, open] = await Promise.all([
    store.listDecided(db, firmId, period, 'all'),
    store.listDecided(db, firmId, period, 'staff'),
    store.listDecided(db, firmId, period, 'kind'),
    store.listDecided(db, firmId, period, 'staff and kind'),
    store.countOpened(db, firmId, period),
    store.listOpen(db, firmId, asOf),
  ]);
  const named = people.map((row) => ({ ...row, staffId: row.staffId ?? 0, name: row.name ?? '' }));
  const of = (row: DecidedRow) => ({
    ...row,
    staffId: row.staffId ?? 0,
    name: row.name ?? '',
    kind: row.kind as ReviewKind,
  });
  const none = { decided: 0, approved: 0, rejected: 0, medianSeconds: 0, slowestSeconds: 0 };
  return { from, until, opened, all: all ?? none, people: named, kinds: kinds.map(of), work: work.map(of), open, asOf };
}
