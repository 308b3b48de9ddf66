import type { Deps } from '../../deps.ts';
import { expireClaims, expiredMax } from '../../store/delivery/claims.ts';
import * as dispatches from '../../store/delivery/dispatches.ts';
import * as receipts from '../../store/delivery/receipts.ts';

/** No carrier takes this long to answer a submission that it has already sent a receipt for. */
const earlyReceiptMs = 10 * 60 * 1_000;

/** Handles expired claims, early receipts and deferred texts. True when there may be more of them right away. */
export async function maintainOutbox(deps: Deps): Promise<boolean> {
  const { db, clock } = deps;
  const expired = await expireClaims(db, { now: clock.now(), realNow: new Date() });
  const applied = await receipts.applyEarlyReceipts(db, clock.now());
  await receipts.deleteEarlyReceipts(db, new Date(Date.now() - earlyReceiptMs));
  return expired === expiredMax || applied === dispatches.maintainedMax || (await releaseDeferred(deps));
}

/** Releases deferred texts whose recipients' day has begun; true when there were any. */
export async function releaseDeferred(deps: Deps): Promise<boolean> {
  return (await dispatches.releaseDeferred(deps.db, { now: deps.clock.now(), realNow: new Date() })) > 0;
}
