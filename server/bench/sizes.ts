/** All sizes and limits of a run. */
export type Sizes = {
  firstStarts: number;
  laterStarts: number;
  fileRows: number;
  /** Rows of files that are imported into empty books: the first is for the bar, and memory must be the same for all. */
  importRows: number[];
  connections: number[];
  rounds: number;
  roundSeconds: number;
  /** Books that are alone in the database. */
  bookSizes: number[];
  /** The book that the bar applies to, and the number of contacts and advisors around it. */
  crowded: { contacts: number; books: number };
  repetitions: number;
  archivedEntries: number;
  /** In the archive of that many entries. */
  archivedCheckpoints: number;
  sends: SendSizes;
  beside: BesideSizes;
  /** Items in the content library, and repetitions of each search. */
  library: { items: number[]; repetitions: number };
  /** Texts that each carrier is handed. */
  carrierTexts: number;
  events: EventSizes;
  /** How many connections send at once. */
  overload: { connections: number[]; seconds: number; warmUpSeconds: number };
};

export type EventSizes = {
  /** In the feed that a follower reads. */
  feed: number;
  /** To all endpoints together. */
  deliveries: number;
  endpoints: number[];
  rounds: number;
  sendSeconds: number;
  waitingCallers: number;
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
  archivedTexts: number[];
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
  firstStarts: 3,
  laterStarts: 5,
  fileRows: 20_000,
  importRows: [100_000, 1_000_000],
  connections: [1, 16, 64],
  rounds: 3,
  roundSeconds: 1.5,
  bookSizes: [1_000, 10_000, 100_000, 1_000_000],
  crowded: { contacts: 1_000_000, books: 10 },
  repetitions: 9,
  archivedEntries: 1_000_000,
  archivedCheckpoints: 1_000_000,
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
    archivedTexts: [10_000, 10_000_000],
  },
  beside: { warmUpSeconds: 15, rounds: 8, seconds: 10, longSeconds: 90, repeatsMax: 3, idleTexts: 200 },
  library: { items: [1_000, 10_000, 100_000], repetitions: 20 },
  carrierTexts: 50_000,
  events: {
    feed: 50_000,
    deliveries: 25_600,
    endpoints: [1, 16, 64],
    rounds: 3,
    sendSeconds: 5,
    waitingCallers: 2_000,
  },
  overload: { connections: [64, 640, 6_400], seconds: 20, warmUpSeconds: 10 },
};

export const quickSizes: Sizes = {
  firstStarts: 1,
  laterStarts: 3,
  fileRows: 5_000,
  importRows: [20_000],
  connections: [1, 16, 64],
  rounds: 1,
  roundSeconds: 1,
  bookSizes: [1_000, 10_000],
  crowded: { contacts: 100_000, books: 10 },
  repetitions: 5,
  archivedEntries: 100_000,
  archivedCheckpoints: 10_000,
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
    archivedTexts: [10_000, 200_000],
  },
  beside: { warmUpSeconds: 5, rounds: 8, seconds: 5, longSeconds: 5, repeatsMax: 0, idleTexts: 50 },
  library: { items: [1_000, 10_000], repetitions: 20 },
  carrierTexts: 10_000,
  events: { feed: 10_000, deliveries: 5_120, endpoints: [1, 16, 64], rounds: 1, sendSeconds: 2, waitingCallers: 500 },
  overload: { connections: [64, 640, 6_400], seconds: 8, warmUpSeconds: 5 },
};
