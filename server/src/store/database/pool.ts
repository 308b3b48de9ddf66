import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { type ConnectionOptions, describeOn, makeConnections, openAll, queryOn } from './connecting/connections.ts';
import type { Db, Pool } from './db.ts';
import { hasCitus, routedQueries, unknownDistribution } from './distribution/queries.ts';
import { DatabaseBusy, isDataError } from './errors.ts';
import { coalescer } from './running/coalescer.ts';
import { gatherer } from './running/gatherer.ts';
import { makeLookups } from './running/lookups.ts';
import { commitSettler } from './running/lost-commits.ts';
import { repeatAfterConflict, runTransaction } from './running/transactions.ts';

type PoolOptions = ConnectionOptions & {
  size: number;
  /** How long to look for a commit's outcome when its reply was lost. */
  settleMs?: number;
};

const settleMsDefault = 10_000;
const batchConnectionsMax = 4;

// Every table has the index that its statements need. A plan made while a table was small, or never analyzed, would
// read all of it, and a prepared statement keeps its plan: after an import of 20,000 a page took 1.1 s instead of 10 ms.
const indexesOnly = ['enable_seqscan=off'];
// A batch is a list joined to tables, one index lookup per item, and so are lookups. For a table that was never analyzed the
// planner assumes otherwise, and 64 lookups took 32 ms instead of 1.
const lookupsOnly = ['enable_hashjoin=off', 'enable_mergejoin=off', 'enable_bitmapscan=off', 'enable_sort=off'];
// That leaves one plan. For a short list the planner would think that it pays to make it again each time: for one recipient
// that took 0.8 ms, and running it 0.15.
const listPlanning = [...indexesOnly, ...lookupsOnly, 'plan_cache_mode=force_generic_plan'];
// A distributed database plans by the values of a statement: they say which node has the rows.
const plansByValues = `select set_config('plan_cache_mode', 'auto', false) where exists (${hasCitus})`;

export function connect(options: PoolOptions): Pool {
  const pool = makeConnections(options, options.size, indexesOnly);
  const pipelined = (size: number) => {
    const made = makeConnections({ ...options, pipeline: true }, size, listPlanning);
    made.on('connect', (client) => void client.query(plansByValues).catch(() => {}));
    return made;
  };
  const batchPool = pipelined(Math.min(batchConnectionsMax, options.size));
  const otherwise: Db['query'] = (text, values, name) => queryOn(pool, { text, values, name });
  const lookups = makeLookups(pipelined(1), otherwise);
  const gatherRows = gatherer(lookups.query);
  const distribution = unknownDistribution();
  const settle = commitSettler(pool, options.settleMs ?? settleMsDefault, async () =>
    distribution.isDistributed(otherwise),
  );
  const on = (some: pg.Pool): Omit<Db, 'batch'> => {
    const query: Db['query'] = (text, values, name) => queryOn(some, { text, values, name });
    const write: Db['write'] = async (text, values, name) => void (await query(text, values, name));
    return {
      ...routedQueries(
        {
          ...{ query, write, lookUp: lookups.query, gatherRows, isTransaction: false },
          describe: (text) => describeOn(some, text),
        },
        distribution,
      ),
      transaction: (work) => runTransaction(some, { settle, distribution }, work),
      beforehand: (work) => work(),
      afterCommit: (work) => work(),
    };
  };
  const batch: Db['batch'] = coalescer(on(batchPool).transaction, {
    async statements(work) {
      // Others of this turn are part of it.
      await nextTurn();
      return repeatAfterConflict(() => work({ ...on(batchPool), batch }));
    },
    isDataError,
    nodeOf: (advisorId) => distribution.places.get(advisorId)?.node,
    whenFull: () => new DatabaseBusy('Too many requests are waiting.'),
  });
  return {
    ...on(pool),
    batch,
    open: async () => void (await Promise.all([openAll(pool), openAll(batchPool), lookups.open()])),
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: async () => void (await Promise.all([pool.end(), batchPool.end(), lookups.end()])),
  };
}
