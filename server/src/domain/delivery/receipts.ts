import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/coalescer.ts';
import { recordReceipts } from '../../store/delivery/dispatches.ts';
import type { Clock, Receipt } from '../ports.ts';

/** What the carrier says became of a text. Those that come together are one commit. */
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
};
