import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/supervision/reviews.ts';
import { lockFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { dayMs, dayOf } from '../shared/days.ts';

/** How many days are made up for when no node was there to draw. */
const daysBackMax = 7;
/** A day's last texts are written by then. */
const settledMs = 60 * 1000;
/** What somebody can read in a day, however much was sent. */
const textsMax = 200;

/**
 * Puts a random share of each firm's texts of the last days before it, each day (UTC, by the domain's clock) once, however
 * many nodes ask and however often. A firm's day and its sample are one transaction: a crash keeps both or neither.
 */
export async function sampleForReview(deps: Deps): Promise<void> {
  const today = Math.floor((deps.clock.now().getTime() - settledMs) / dayMs);
  for (let day = today - daysBackMax; day < today; day++) await sampleDay(deps, day);
}

async function sampleDay(deps: Deps, day: number): Promise<void> {
  const [from, until] = [new Date(day * dayMs), new Date((day + 1) * dayMs)];
  await deps.db.transaction(async (db) => {
    const now = deps.clock.now();
    const firmIds = await store.claimSamples(db, dayOf(from), now);
    if (firmIds.length > 0) await store.insertSamples(db, { firmIds, from, until, textsMax }, now);
  });
}

/** How much of a day's texts the firm looks at, from the next sample on; 0 is none. */
export async function setSamplePercent(deps: Deps, firmId: number, percent: number): Promise<void> {
  if (!(percent >= 0 && percent <= 100)) throw problem('invalid_request', 'The share is 0 to 100 percent.');
  await inTransaction(deps, async (deps) => {
    await lockFirm(deps, firmId);
    await store.updateSamplePercent(deps.db, firmId, percent);
    const values = { reviewSamplePercent: percent };
    await archiveSetting(deps, byOperator, { what: 'review sample set', of: { firmId }, values });
  });
}
