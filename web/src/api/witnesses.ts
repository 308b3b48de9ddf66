/** A call to one of the partner's operations, with what it answered. */
export type SeenCall = {
  method: string;
  /** From the origin's /v1 on, with its query. */
  path: string;
  body: unknown;
  status: number;
  answer: unknown;
  tookMs: number;
};
/** What a partner's program would have been told. */
export type SeenEvent = { type: string; data: Record<string, unknown> };
type Observation = { call: SeenCall } | { event: SeenEvent };

const witnesses = new Set<(seen: Observation) => void>();

/** For the demonstration: what the app calls and is told, as it happens. */
export function witness(look: (seen: Observation) => void): () => void {
  witnesses.add(look);
  return () => void witnesses.delete(look);
}

export function tell(seen: Observation): void {
  for (const look of witnesses) look(seen);
}
