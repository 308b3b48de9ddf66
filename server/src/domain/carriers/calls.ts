import type { CallCounts } from '../ports.ts';
import type { NodeStatus } from './status.ts';

/** What carriers bring in calls to a process, and not over connections of their own. */

export function noCalls(): CallCounts {
  return {
    receipts: { delivered: 0, undelivered: 0, unmatched: 0, lagMs: null },
    replies: { taken: 0, failed: 0, incomplete: 0 },
    misroutedReplies: 0,
  };
}

/** What came either way, to a process that hands texts over and takes calls. */
export function withCalls(status: NodeStatus, { receipts, replies, misroutedReplies }: CallCounts): NodeStatus {
  const { carrier } = status;
  if (!carrier) return status;
  return {
    ...status,
    misroutedReplies: status.misroutedReplies + misroutedReplies,
    carrier: {
      ...carrier,
      receipts: {
        delivered: carrier.receipts.delivered + receipts.delivered,
        undelivered: carrier.receipts.undelivered + receipts.undelivered,
        unmatched: carrier.receipts.unmatched + receipts.unmatched,
        lagMs: carrier.receipts.lagMs ?? receipts.lagMs,
      },
      replies: {
        taken: carrier.replies.taken + replies.taken,
        failed: carrier.replies.failed + replies.failed,
        incomplete: carrier.replies.incomplete + replies.incomplete,
      },
    },
  };
}
