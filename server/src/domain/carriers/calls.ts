import type { CallCounts, CarrierStatus } from '../ports.ts';

/** What carriers bring in calls comes to the side of a node that answers requests, which isn't the one that hands texts over. */

export function noCalls(): CallCounts {
  return {
    receipts: { delivered: 0, undelivered: 0, unmatched: 0, lagMs: null },
    replies: { taken: 0, failed: 0, incomplete: 0 },
    strays: 0,
  };
}

export function withCalls<Counts extends Pick<CarrierStatus, 'receipts' | 'replies'>>(
  counts: Counts,
  { receipts, replies }: CallCounts,
): Counts {
  return {
    ...counts,
    receipts: {
      delivered: counts.receipts.delivered + receipts.delivered,
      undelivered: counts.receipts.undelivered + receipts.undelivered,
      unmatched: counts.receipts.unmatched + receipts.unmatched,
      lagMs: counts.receipts.lagMs ?? receipts.lagMs,
    },
    replies: {
      taken: counts.replies.taken + replies.taken,
      failed: counts.replies.failed + replies.failed,
      incomplete: counts.replies.incomplete + replies.incomplete,
    },
  };
}
