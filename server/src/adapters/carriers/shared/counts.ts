import type { CarrierStatus, Submission } from '../../../domain/ports.ts';

/** What a carrier has done since it started, for `status`. */
export type Counts = Pick<
  CarrierStatus,
  'inFlight' | 'accepted' | 'refused' | 'notTaken' | 'throttled' | 'receipts' | 'replies'
>;

export function makeCounts(): Counts {
  return {
    inFlight: 0,
    accepted: 0,
    refused: {},
    notTaken: {},
    throttled: 0,
    receipts: { delivered: 0, undelivered: 0, unmatched: 0, lagMs: null },
    replies: { taken: 0, failed: 0, incomplete: 0 },
  };
}

export async function counted(counts: Counts, submission: Promise<Submission>): Promise<Submission> {
  counts.inFlight += 1;
  try {
    const response = await submission;
    if ('accepted' in response) counts.accepted += 1;
    else if ('refused' in response) add(counts.refused, response.refused);
    else add(counts.notTaken, response.notTaken);
    return response;
  } finally {
    counts.inFlight -= 1;
  }
}

function add(counts: Record<string, number>, reason: string): void {
  counts[reason] = (counts[reason] ?? 0) + 1;
}
