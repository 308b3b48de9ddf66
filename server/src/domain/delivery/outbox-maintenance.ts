import type { Deps } from '../../deps.ts';
import * as dispatches from '../../store/delivery/dispatches.ts';
import { expireLeases } from '../../store/delivery/outcomes.ts';
import { applyEarlyReceipts, deleteEarlyReceipts } from '../../store/delivery/receipts.ts';

/** No carrier takes this long to answer a submission that it has already sent a receipt for. */
const earlyReceiptMs = 10 * 60 * 1_000;

/** Handles expired leases, early receipts and deferred texts. True when there may be more of them right away. */
export async function maintainOutbox(deps: Deps): Promise<boolean> {
  const times = { now: deps.clock.now(), realNow: new Date() };
  const expired = await expireLeases(deps.db, times);
  const applied = await applyEarlyReceipts(deps.db, times.now);
  await deleteEarlyReceipts(deps.db, new Date(Date.now() - earlyReceiptMs));
  return expired === dispatches.maintainedMax || applied === dispatches.maintainedMax || (await releaseDeferred(deps));
}

/** Releases deferred texts whose recipients' day has begun; true when there were any. */
export async function releaseDeferred(deps: Deps): Promise<boolean> {
  return (await dispatches.releaseDeferred(deps.db, { now: deps.clock.now(), realNow: new Date() })) > 0;
}
