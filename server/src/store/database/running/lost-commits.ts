import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { acquire, breaks, runOf } from '../connecting/connections.ts';
import { DatabaseUnavailable, OutcomeUnknown } from '../errors.ts';

/** A transaction whose commit was sent, and the run of the server that it was sent to. */
type SentCommit = { xid: string; run: string };
/** Returns if the transaction was committed, and throws if it wasn't or if nobody can tell. */
export type SettleCommit = (committing: SentCommit, cause: unknown) => Promise<void>;

type CommitState = 'committed' | 'aborted' | 'ambiguous';

const pollMs = 200;
/** No transaction got this id yet. */
const inTheFuture = '22023';

/**
 * The reply to a commit was lost. PostgreSQL remembers how each transaction ended, so ask it. In a distributed database a node
 * commits before the coordinator does: if the coordinator didn't, the node may have.
 */
export function commitSettler(pool: pg.Pool, settleMs: number, isDistributed: () => Promise<boolean>): SettleCommit {
  return async (committing, cause) => {
    for (const deadline = Date.now() + settleMs; Date.now() < deadline; await pause(pollMs)) {
      const late = pause(deadline - Date.now(), undefined, { ref: false });
      const outcome = await Promise.race([outcomeOf(pool, committing).catch(() => undefined), late]);
      if (outcome === 'committed') return;
      if (outcome === 'ambiguous' || (outcome === 'aborted' && (await isDistributed()))) break;
      if (outcome === 'aborted') throw new DatabaseUnavailable('The connection broke.', { cause });
    }
    throw new OutcomeUnknown('The connection broke during a commit.', { cause });
  };
}

/**
 * Undefined if it can't be told yet. The run that answers may be another one: the server crashed, or its standby took over. If our
 * transaction didn't get that far, the id was free again, and may be another's by now. So an id that committed there may not be
 * ours. But one that didn't commit there is proof enough: if ours had, it would have kept the id.
 */
async function outcomeOf(pool: pg.Pool, { xid, run }: SentCommit): Promise<CommitState | undefined> {
  const client = await acquire(pool);
  let broken = false;
  try {
    // The message to nobody makes this a commit, which waits for the standbys that every commit has to wait for. Without it, a
    // commit that was interrupted while it waited would count, although no standby has it. A standby can't tell.
    const { rows } = await client.query<{ status: string | null }>(
      `select case when not pg_is_in_recovery() then pg_xact_status($1::xid8) end as status,
         pg_logical_emit_message(true, 'assent', '')`,
      [xid],
    );
    const status = rows[0]?.status;
    if (status === 'committed') return runOf(client) === run ? 'committed' : 'ambiguous';
    if (status === 'in progress' && runOf(client) !== run) return 'aborted';
    return status === 'aborted' ? status : undefined;
  } catch (error) {
    broken = breaks(pool, error);
    if (error instanceof pg.DatabaseError && error.code === inTheFuture) return 'aborted';
    throw error;
  } finally {
    client.release(broken);
  }
}
