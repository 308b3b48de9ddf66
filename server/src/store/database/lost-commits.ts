import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { queryOn } from './connections.ts';
import { DatabaseUnavailable, OutcomeUnknown } from './errors.ts';

/** Returns if the transaction was committed, and throws if it wasn't or if nobody can tell. */
export type SettleCommit = (xid: string, cause: unknown) => Promise<void>;

const pollMs = 200;

/** The reply to a commit was lost. PostgreSQL remembers how each transaction ended, so ask it. */
export function commitSettler(pool: pg.Pool, settleMs: number): SettleCommit {
  return async (xid, cause) => {
    for (const deadline = Date.now() + settleMs; Date.now() < deadline; await pause(pollMs)) {
      const late = pause(deadline - Date.now(), undefined, { ref: false });
      const status = await Promise.race([outcomeOf(pool, xid), late]);
      if (status === 'committed') return;
      if (status === 'aborted') throw new DatabaseUnavailable('The connection broke.', { cause });
    }
    throw new OutcomeUnknown('The connection broke during a commit.', { cause });
  };
}

async function outcomeOf(pool: pg.Pool, xid: string): Promise<string | undefined> {
  const statement = { text: 'select pg_xact_status($1::xid8) as status', values: [xid] };
  const [row] = await queryOn<{ status: string }>(pool, statement).catch(() => []);
  return row?.status;
}
