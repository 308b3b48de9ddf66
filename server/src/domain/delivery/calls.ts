import type { Deps } from '../../deps.ts';
import { receiveReply } from '../consent/replies.ts';
import type { CarrierNews, IncomingReply, OpenCarrier, Receipt } from '../ports.ts';
import { receiveReceipt } from './receipts.ts';

/**
 * Stores what a carrier's call says, and counts it. Throws if part of it can't be stored: then the carrier calls again. The carrier's
 * clock is never moved; that of a sandbox can be ahead.
 */
export async function takeCall(deps: Deps, open: OpenCarrier, { replies, receipts }: CarrierNews): Promise<void> {
  const aheadMs = deps.clock.now().getTime() - deps.databaseClock.now().getTime();
  for (const { sentAt, ...reply } of replies)
    await takeReply(deps, open, { ...reply, sentAt: new Date(sentAt.getTime() + aheadMs) });
  await Promise.all(receipts.map((receipt) => takeReceipt(deps, open, receipt)));
}

async function takeReply(deps: Deps, open: OpenCarrier, reply: IncomingReply): Promise<void> {
  const { calls } = open;
  try {
    if (!(await receiveReply(deps, open, reply))) calls.misroutedReplies += 1;
  } catch (error) {
    calls.replies.failed += 1;
    throw error;
  }
  calls.replies.taken += 1;
}

async function takeReceipt(deps: Deps, { carrierId, calls }: OpenCarrier, receipt: Receipt): Promise<void> {
  await receiveReceipt(deps, carrierId, receipt);
  calls.receipts[receipt.status] += 1;
}
