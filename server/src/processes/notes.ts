/** All that a process which answers requests and the one that started it tell each other. The rest is in the database. */

/** A metric with its values, as the library describes it. */
export type Measured = object;

export type NoteToProcess =
  /** What do you measure? */
  | { about: 'measure'; id: number }
  /** What every process measures, the one with the worker first. */
  | { about: 'gathered'; id: number; metrics: Measured[][] };

export type NoteFromProcess =
  | { about: 'ready' }
  /** It ends, and says why in a line for a person. */
  | { about: 'refusal'; why: string }
  /** Somebody asks for the metrics of all. */
  | { about: 'gather'; id: number }
  | { about: 'measured'; id: number; metrics: Measured[] };

/** A process that is busy or starting must not hold up the others' metrics. */
export const measuredWithinMs = 2_000;
