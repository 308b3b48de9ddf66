import type { Checkpoint } from '../../examiner/notes.mjs';

/** The database's checkpoints that should have a copy, and those that don't. */
export type FoundCopies = {
  expected: number;
  expectedSize: number;
  missing: number;
  missingSize: number | null;
};

/** No more notes are kept in memory until their copy turns up. */
const awaitedMax = 100_000;

/** Copies usually come in the same step as the checkpoint itself. Those that don't are awaited. */
export function expectCopies(copies: { expects(checkpoint: Checkpoint): boolean } | null) {
  const awaited = new Map<string, number>();
  let dropped = 0;
  let droppedSize: number | null = null;
  const found: FoundCopies = {
    expected: 0,
    expectedSize: 0,
    get missing() {
      return awaited.size + dropped;
    },
    get missingSize() {
      const [first = null] = awaited.values();
      return first ?? droppedSize;
    },
  };
  return {
    found,
    expect(checkpoint: Checkpoint): void {
      if (!copies?.expects(checkpoint)) return;
      found.expected += 1;
      found.expectedSize = Math.max(found.expectedSize, checkpoint.size);
      if (awaited.size < awaitedMax) awaited.set(checkpoint.note, checkpoint.size);
      else {
        dropped += 1;
        droppedSize ??= checkpoint.size;
      }
    },
    take(notes: { note: string }[]): void {
      for (const { note } of notes) awaited.delete(note);
    },
  };
}
