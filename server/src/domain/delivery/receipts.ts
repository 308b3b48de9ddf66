import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import { recordReceipts } from '../../store/delivery/receipts.ts';
import type { Clock, Receipt } from '../ports.ts';

/**
 * Records whether a text was delivered, and archives it. Receipts that arrive together share one commit. A receipt that says
 * nothing new writes nothing.
 */
export async function receiveReceipt({ db, clock }: Deps, receipt: Receipt): Promise<void> {
  await db.batch(receiving, { receipt, clock });
}

const receiving: Batch<{ receipt: Receipt; clock: Clock }, void> = {
  async run(db, items) {
    const [first] = items;
    if (!first) return [];
    const receipts = items.map(({ receipt }) => receipt);
    await recordReceipts(db, receipts, { now: first.clock.now(), realNow: new Date() });
    return items.map(() => undefined);
  },
  isRepeatable: true,
  // Nobody waits for a receipt, but sends wait for the advisors' heads that its entry needs.
  pauseMs: 100,
};
