import { type Deps, inTransaction } from '../../deps.ts';
import * as dispatches from '../../store/delivery/dispatches.ts';
import * as outcomes from '../../store/delivery/outcomes.ts';
import * as receipts from '../../store/delivery/receipts.ts';
import { archiveOutcomes } from '../texting/text-outcomes.ts';

/** No carrier takes this long to answer a submission that it has already sent a receipt for. */
const earlyReceiptMs = 10 * 60 * 1_000;

/** Handles expired leases, early receipts and deferred texts. True when there may be more of them right away. */
export async function maintainOutbox(deps: Deps): Promise<boolean> {
  const counts = [await expireLeases(deps), await applyEarlyReceipts(deps)];
  await receipts.deleteEarlyReceipts(deps.db, new Date(Date.now() - earlyReceiptMs));
  return counts.includes(dispatches.maintainedMax) || (await releaseDeferred(deps));
}

async function expireLeases(deps: Deps): Promise<number> {
  return inTransaction(deps, async ({ db, clock }) => {
    const now = clock.now();
    const doubted = await outcomes.expireLeases(db, { now, realNow: new Date() });
    await archiveOutcomes(db, doubted, now);
    return doubted.length;
  });
}

async function applyEarlyReceipts(deps: Deps): Promise<number> {
  return inTransaction(deps, async ({ db, clock }) => {
    const now = clock.now();
    const applied = await receipts.applyEarlyReceipts(db, now);
    await archiveOutcomes(db, applied, now);
    return applied.length;
  });
}

/** Releases deferred texts whose recipients' day has begun; true when there were any. */
export async function releaseDeferred(deps: Deps): Promise<boolean> {
  return (await dispatches.releaseDeferred(deps.db, { now: deps.clock.now(), realNow: new Date() })) > 0;
}
