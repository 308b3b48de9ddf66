/** All sizes and limits of a run. */
export type Sizes = {
  /** The book that requests read. */
  bookRows: number;
  /** Of a file that is imported beside another checkout. */
  importRows: number;
  connections: number[];
  rounds: number;
  roundSeconds: number;
  /** Books that are alone in the database. */
  bookSizes: number[];
  /** The book that the bar applies to, and the number of contacts and advisors around it. */
  crowded: { contacts: number; books: number };
  repetitions: number;
  archivedEntries: number;
  sends: SendSizes;
  beside: BesideSizes;
  /** How many connections send at once. */
  overload: { connections: number[]; seconds: number; warmUpSeconds: number };
};

export type SendSizes = {
  connections: number[];
  pgbenchClients: number[];
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
  dispatchRounds: number;
  dispatchSeconds: number;
  idleSends: number;
  /** All due at once. */
  schedules: number;
};

/** A comparison with another commit: rounds in turn, one long enough for autovacuum, and texts one at a time. */
export type BesideSizes = {
  warmUpSeconds: number;
  rounds: number;
  seconds: number;
  longSeconds: number;
  /** How often a round is repeated while others disturb it. */
  repeatsMax: number;
  idleTexts: number;
};

export const fullSizes: Sizes = {
  bookRows: 20_000,
  importRows: 100_000,
  connections: [1, 16, 64],
  rounds: 3,
  roundSeconds: 1.5,
  bookSizes: [1_000, 10_000, 100_000, 1_000_000],
  crowded: { contacts: 1_000_000, books: 10 },
  repetitions: 9,
  archivedEntries: 1_000_000,
  sends: {
    connections: [1, 16, 64, 256],
    pgbenchClients: [1, 16, 64],
    rounds: 5,
    roundSeconds: 3,
    warmUpSeconds: 3,
    dispatchRounds: 3,
    dispatchSeconds: 10,
    idleSends: 50,
    schedules: 100_000,
  },
  beside: { warmUpSeconds: 15, rounds: 8, seconds: 10, longSeconds: 90, repeatsMax: 3, idleTexts: 200 },
  overload: { connections: [64, 640, 6_400], seconds: 20, warmUpSeconds: 10 },
};

export const quickSizes: Sizes = {
  bookRows: 5_000,
  importRows: 20_000,
  connections: [1, 16, 64],
  rounds: 1,
  roundSeconds: 1,
  bookSizes: [1_000, 10_000],
  crowded: { contacts: 100_000, books: 10 },
  repetitions: 5,
  archivedEntries: 100_000,
  sends: {
    connections: [1, 16, 64, 256],
    pgbenchClients: [1, 16, 64],
    rounds: 3,
    roundSeconds: 1,
    warmUpSeconds: 1,
    dispatchRounds: 1,
    dispatchSeconds: 3,
    idleSends: 50,
    schedules: 10_000,
  },
  beside: { warmUpSeconds: 5, rounds: 8, seconds: 5, longSeconds: 5, repeatsMax: 0, idleTexts: 50 },
  overload: { connections: [64, 640, 6_400], seconds: 8, warmUpSeconds: 5 },
};
