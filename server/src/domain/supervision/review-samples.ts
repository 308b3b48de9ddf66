import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/supervision/reviews.ts';
import { lockFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { requireRunning } from '../shared/signals.ts';
import { dayMs, dayOf } from '../shared/time.ts';

/** How many days of missed samples are made up for after an outage. */
const daysBackMax = 7;
/** By then a day's last texts are written. */
const settledMs = 60 * 1000;
/** As many as somebody can read in a day, however many were sent. */
const textsMax = 200;

/**
 * Opens reviews for a random share of each firm's texts in the last days, once per day (UTC, by the domain's clock), however
 * many nodes call it and however often. Claiming a firm's day and drawing its sample are one transaction.
 */
export async function sampleForReview(deps: Deps): Promise<void> {
  const today = Math.floor((deps.clock.now().getTime() - settledMs) / dayMs);
  for (let day = today - daysBackMax; day < today; day++) {
    requireRunning(deps);
    await sampleDay(deps, day);
  }
}

async function sampleDay(deps: Deps, day: number): Promise<void> {
  const [from, until] = [new Date(day * dayMs), new Date((day + 1) * dayMs)];
  await deps.db.transaction(async (db) => {
    const now = deps.clock.now();
    const firmIds = await store.claimSamples(db, dayOf(from), now);
    if (firmIds.length > 0) await store.insertSamples(db, { firmIds, from, until, textsMax }, now);
  });
}

/** What share of a day's texts the firm reviews, from the next sample on; 0 means none. */
export async function setSamplePercent(deps: Deps, firmId: number, percent: number): Promise<void> {
  if (!(percent >= 0 && percent <= 100)) throw problem('invalid_request', 'The share must be 0 to 100 percent.');
  await inTransaction(deps, async (deps) => {
    await lockFirm(deps, firmId);
    await store.updateSamplePercent(deps.db, firmId, percent);
    const values = { reviewSamplePercent: percent };
    await archiveSetting(deps, byOperator, { what: 'review sample set', of: { firmId }, values });
  });
}
