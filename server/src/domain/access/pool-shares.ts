import type { Db } from '../../store/database/db.ts';
import { DatabaseBusy } from '../../store/database/errors.ts';
import { makeFairQueue } from '../shared/fair-queue.ts';

const waitingPerConnectionMax = 100;

/**
 * The database as one API key, or one user of our pages, may use it. A costly query counts for several connections. Before the first
 * of a request runs, `admit` throws if the caller isn't allowed to any more: they may have waited.
 */
export type PoolShares = (who: string, cost: number, admit?: () => Promise<void>) => Db;

/**
 * One caller may hold half of the connections, however many requests they send and however long they take; the other half
 * is left for everyone else. Callers take turns for what is free. Batches and lookups bypass this: all callers share
 * their connections.
 */
export function poolShares(db: Db, size: number): PoolShares {
  const queue = makeFairQueue({
    width: size,
    share: Math.max(1, Math.floor(size / 2)),
    waitingMax: size * waitingPerConnectionMax,
    waitingEachMax: (size * waitingPerConnectionMax) / 2,
    tooMany: () => new DatabaseBusy('Too many requests of this key are waiting.'),
  });

  return (who, cost, admit) => {
    let isAdmitted = !admit;
    async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      const leave = await queue.enter(who, cost);
      try {
        if (!isAdmitted) await admit?.();
        isAdmitted = true;
        return await work();
      } finally {
        leave();
      }
    }
    return {
      query: (text, values, name) => inTurn(() => db.query(text, values, name)),
      find: (text, values, name) => inTurn(() => db.find(text, values, name)),
      one: (text, values, name) => inTurn(() => db.one(text, values, name)),
      value: (text, values, name) => inTurn(() => db.value(text, values, name)),
      has: (text, values, name) => inTurn(() => db.has(text, values, name)),
      write: (text, values, name) => inTurn(() => db.write(text, values, name)),
      lookUp: (text, values, name) => db.lookUp(text, values, name),
      lookUpOne: (text, key, name) => db.lookUpOne(text, key, name),
      transaction: (work) => inTurn(() => db.transaction(work)),
      batch: (batch, item) => db.batch(batch, item, isAdmitted ? undefined : admit),
      beforehand: (work) => db.beforehand(work),
      afterCommit: (work) => db.afterCommit(work),
      nodes: () => db.nodes(),
    };
  };
}
