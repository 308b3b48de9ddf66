import type { ArchiveSigns, Member } from '../../domain/shared/signals.ts';

/**
 * All that the two sides of a node tell each other: plain values, few and small. Everything else they share is in the
 * database, and a node on another machine sees the same there, only up to half a second later.
 */

/** From the side that answers requests to the worker. */
export type NoteToWorker =
  /** Start the jobs. */
  | { about: 'begin' }
  /** Texts were added to the outbox. */
  | { about: 'queued' }
  | { about: 'unproven consent'; member: Member }
  /** A few times a second. */
  | { about: 'pulse'; repliesBehind: boolean }
  | { about: 'question'; id: number; what: Question }
  | { about: 'stop' };

/** From the worker to the side that answers requests. */
export type NoteFromWorker =
  /** It is connected. */
  | { about: 'ready' }
  /** It ends, and says why in a line for a person. */
  | { about: 'refusal'; why: string }
  | { about: 'consent change'; member: Member }
  | { about: 'pulse'; repliesBehind: boolean; archive: ArchiveSigns }
  | { about: 'log'; lines: string }
  | { about: 'answer'; id: number; value: unknown }
  /** A question has no answer. */
  | { about: 'failure'; id: number };

/** `due`: send everything that is due, and answer once that is done. `metrics`: what the worker measures. `carriers`: how they do. */
export type Question = 'due' | 'metrics' | 'carriers';

export const pulseMs = 250;
