/** How the store talks to PostgreSQL: through the pool, or through one of its transactions. */
export type Db = {
  /** The rows of one statement. A name makes it a prepared statement, which pays off for statements of every request. */
  query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
  /** Its first row; null if it has none. */
  find<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row | null>;
  /** Its only row, of a statement that always has one. */
  one<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row>;
  /** The only column of its first row; null if it has none. */
  value<Value>(text: string, values?: unknown[], name?: string): Promise<Value | null>;
  /** Whether it has a row. */
  has(text: string, values?: unknown[], name?: string): Promise<boolean>;
  /**
   * A statement whose rows nobody needs. In the transaction of a batch nobody waits for it either: the next statement goes along,
   * or the commit. If it fails, that fails with its error.
   */
  write(text: string, values?: unknown[], name?: string): Promise<void>;
  /** The rows that a key finds, by a prepared statement that is always short. Many of them share a connection. */
  lookUp<Row extends object>(text: string, values: unknown[], name: string): Promise<Row[]>;
  /**
   * The row that a key finds. Lookups by the same statement that come at once are sent as one, so it takes a list for each
   * part of the key, and gives each row the `position` of its key, from 1.
   */
  lookUpOne<Row extends object>(text: string, key: unknown[], name: string): Promise<Row | null>;
  /** Runs the work in one transaction. On a transaction, the work joins it. */
  transaction<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * One item of a batch: shared with other callers on the pool, alone inside an open transaction. If it had to wait, `admit` is asked
   * first, and throws where its caller isn't allowed to any more.
   */
  batch<Item, Result>(batch: Batch<Item, Result>, item: Item, admit?: () => Promise<void>): Promise<Result>;
  /**
   * What takes long comes before a transaction, in which others would wait for its rows: an open one is rolled back, and runs again once
   * the work is done.
   */
  beforehand(work: () => Promise<void>): Promise<void>;
  /** Runs once everything so far is committed: at once on the pool, at the end of an open transaction. */
  afterCommit(work: () => void): void;
  /** The nodes that advisors are on; null on one PostgreSQL. Only for advisors.ts. Once it is known, it needs no waiting. */
  nodes(): Nodes | null | Promise<Nodes | null>;
};

/** Several nodes that have the advisors' rows: what advisors.ts asks of them. */
export type Nodes = {
  forAdvisors<Row extends { advisorId: number }, Result>(
    db: Db,
    rows: Row[],
    work: (db: Db, rows: Row[]) => Promise<Result>,
  ): Promise<Result>;
  forAll<Result>(db: Db, work: (db: Db) => Promise<Result[]>): Promise<Result[]>;
  takeDue<Result>(db: Db, due: Due, work: (db: Db) => Promise<Result[]>): Promise<DueRows<Result>>;
  drawIds(db: Db, sequence: string, count: number): Promise<number[]>;
  commitTogether(db: Db): Promise<void>;
};

/** A statement that finds a row that is due, and the name that it is prepared by. */
export type Due = [text: string, values: unknown[], name: string];
/** Rows that were due, and whether other advisors may have some. */
export type DueRows<Row> = { rows: Row[]; hasOthers: boolean };

/** A transaction. It can also roll back a part of itself, and take many rows at once. */
export type Transaction = Db & {
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs a `copy … from stdin` with rows of `copyRow`. */
  copy(text: string, rows: Iterable<string>): Promise<void>;
};

export type Pool = Db & {
  /** Opens its connections ahead of time. */
  open(): Promise<void>;
  counts(): { total: number; idle: number; waiting: number };
  end(): Promise<void>;
};

/** Work for many items in one transaction, with a result for each item, in order. */
export type Batch<Item, Result> = {
  run(db: Db, items: Item[]): Promise<Result[]>;
  /**
   * It needs no transaction: each of its statements is complete by itself, and may run a second time. That saves two round
   * trips, and what a statement locks is free as soon as it ends.
   */
  isRepeatable?: true;
  /**
   * Whose an item is. In a distributed database items of different nodes then don't share a batch: a transaction on one node is
   * committed there, and one on several has to be prepared on each first.
   */
  advisorOf?(item: Item): number;
  /** An item's weight, where items differ. A batch is full at weightMax. */
  weigh?(item: Item): number;
  /** How long the next batch waits after one that wasn't full: larger batches cost less, and others wait for them less often. */
  pauseMs?: number;
};
