import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Batch, Db } from '../db.ts';

type Waiter = {
  item: unknown;
  sinceMs: number;
  admit: (() => Promise<void>) | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
};
type Line = { waiting: Waiter[]; running: boolean };
type Run = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

type Options = {
  /** For batches that need no transaction. */
  statements?: Run;
  /** Which errors one row causes. */
  isDataError?: (error: unknown) => boolean;
  /** The node that has an advisor's rows, as far as it is known, where there are several. */
  nodeOf?: (advisorId: number) => number | undefined;
  /** The error for a caller when too many are waiting. */
  whenFull?: () => Error;
};

const itemsMax = 256;
const weightMax = 2_000;
const waitingMax = 5_000;
/** Who waited longer is admitted again. */
const lateMs = 100;

/**
 * Items that arrive while a batch is in flight join the next one: many requests, one commit, a response for each. A commit
 * costs one disk sync, however much is in it. The first item doesn't wait for others: otherwise everything that arrived at
 * once would be one batch, and this process would be idle while the database works on it. For the same reason a batch is
 * answered when the next one is on its way.
 */
export function coalescer(transaction: Run, options: Options = {}) {
  const {
    statements = transaction,
    isDataError = () => false,
    whenFull = () => new Error(),
    nodeOf = () => 0,
  } = options;
  const lines = new Map<Batch<never, unknown>, Map<number, Line>>();
  const runOf = ({ isRepeatable }: Batch<never, unknown>) => (isRepeatable ? statements : transaction);

  function join<Item, Result>(batch: Batch<Item, Result>, item: Item, admit?: () => Promise<void>): Promise<Result> {
    const line = lineOf(batch, batch.advisorOf ? nodeOf(batch.advisorOf(item)) : 0);
    if (line.waiting.length >= waitingMax) return Promise.reject(whenFull());
    return new Promise<Result>((resolve, reject) => {
      line.waiting.push({ item, sinceMs: performance.now(), admit, resolve: resolve as Waiter['resolve'], reject });
      if (line.running) return;
      line.running = true;
      void pump(batch, line);
    });
  }

  function lineOf<Item, Result>(batch: Batch<Item, Result>, node = 0): Line {
    const key = batch as Batch<never, unknown>;
    const byNode = lines.getOrInsertComputed(key, () => new Map());
    return byNode.getOrInsertComputed(node, () => ({ waiting: [], running: false }));
  }

  async function pump<Item, Result>(batch: Batch<Item, Result>, line: Line): Promise<void> {
    let response = () => {};
    while (line.waiting.length > 0) {
      const running = runNext(batch, line);
      // By the next turn it has a connection, and its first statements are sent.
      await turn();
      response();
      response = await running;
      if (!batch.pauseMs || line.waiting.length >= itemsMax) continue;
      response();
      response = () => {};
      await pause(batch.pauseMs);
    }
    line.running = false;
    response();
  }

  /** Returns what answers its items. Those that arrive before it has a connection are part of it. */
  async function runNext<Item, Result>(batch: Batch<Item, Result>, { waiting }: Line): Promise<() => void> {
    let members: Waiter[] = [];
    try {
      const results = await runOf(batch)(async (db) => {
        // Set already when it runs again after a deadlock.
        if (members.length === 0) members = await admitted(take(batch, waiting));
        return members.length === 0 ? [] : batch.run(db, itemsOf<Item>(members));
      });
      return () => members.forEach(({ resolve }, index) => void resolve(results[index]));
    } catch (error) {
      if (members.length === 0) members = take(batch, waiting);
      if (members.length === 1 || !isDataError(error)) return () => members.forEach(({ reject }) => void reject(error));
      for (const each of members) await runAlone(batch, each);
      return () => {};
    }
  }

  /** One bad row must not fail the others; any other error fails the whole batch. */
  async function runAlone<Item, Result>(batch: Batch<Item, Result>, { item, resolve, reject }: Waiter): Promise<void> {
    await runOf(batch)((db) => batch.run(db, [item as Item])).then(([result]) => resolve(result), reject);
  }

  return join;
}

/** Those that may go on. Nearly always nobody is late, and then this asks nobody. */
async function admitted(members: Waiter[]): Promise<Waiter[]> {
  const late = members.filter(({ admit, sinceMs }) => admit && performance.now() - sinceMs > lateMs);
  const refused = new Set<Waiter>();
  await Promise.all(late.map((each) => each.admit?.().catch((error) => refused.add(each) && each.reject(error))));
  return refused.size === 0 ? members : members.filter((each) => !refused.has(each));
}

function itemsOf<Item>(members: Waiter[]): Item[] {
  return members.map(({ item }) => item as Item);
}

function take<Item, Result>({ weigh }: Batch<Item, Result>, waiting: Waiter[]): Waiter[] {
  let weight = 0;
  let count = 0;
  for (const { item } of waiting.slice(0, itemsMax)) {
    weight += weigh?.(item as Item) ?? 1;
    if (count > 0 && weight > weightMax) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
