import type { DoubtfulText } from '../../../domain/ports.ts';

/** The carrier's clock and ours differ a little, and a request takes as long as CARRIER_TIMEOUT_MS allows, at most. */
const beforeMs = 30_000;
const afterMs = 150_000;

/** Whether the carrier may have taken the text then. */
export function isTimeOf({ submittedAt }: DoubtfulText, taken: Date): boolean {
  const ms = taken.getTime() - submittedAt.getTime();
  return ms >= -beforeMs && ms <= afterMs;
}

/** The span in which the carrier took the text, if it did. */
export function spanOf({ submittedAt }: DoubtfulText): { from: Date; to: Date } {
  return { from: new Date(submittedAt.getTime() - beforeMs), to: new Date(submittedAt.getTime() + afterMs) };
}

/** Two that fit are no response: either may be the one. */
export function theOnlyOne<Item>(items: Item[]): Item | null {
  return items.length === 1 ? (items[0] ?? null) : null;
}
