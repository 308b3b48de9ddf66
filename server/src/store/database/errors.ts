import pg from 'pg';
import { isTlsFailure } from './connecting/tls.ts';

/** The database can't be reached, and nothing was committed. */
export class DatabaseUnavailable extends Error {
  /** The log counts what everybody meets at once. */
  readonly isOutage = true;
}
/** It answers, but can't do what it was asked: its disk is full, its memory is used up, or it is read-only. */
export class DatabaseUnable extends DatabaseUnavailable {}
/** A statement, a lock or a connection took too long, and nothing was committed. */
export class DatabaseTimeout extends Error {}
/** More requests are waiting for a connection than can be served soon. */
export class DatabaseBusy extends Error {}
/** The connection broke during a commit, and within settleMs nothing could tell whether it took effect. */
export class OutcomeUnknown extends Error {}

type Kind = 'lost' | 'unable' | 'timeout' | 'conflict' | 'other';

/** Not enough disk, memory or other resources (53), a fault of the disk (58), or read-only (25006). */
const unableCodes = /^(53|58|25006)/;
/** PostgreSQL has no code for some faults of the disk, a quota for example, nor for a transaction on a standby. */
const unableMessages = /^could not (extend|write|create|fsync)|cannot assign TransactionIds during recovery/;

/** A coordinator has no code for a node of a distributed database that went away, nor always a message. */
const lostNode =
  /^($|could not commit transaction for shard|failure on connection marked as essential|server closed the connection|no connection to the server|could not (receive|send) data|postmaster was shut down)/;

/** Nor for a shard that was split or moved meanwhile: the same work finds it where it is now. */
const movedShard = /^could not find .*shard|^shard .* (does not exist|not found)/i;

/** After such an error the connection is useless, and its last statement may or may not have taken effect. */
export function isBroken(error: unknown): boolean {
  const kind = kindOf(error);
  // A server that is read-only is no longer the primary, or not yet: a new connection may find the one that is.
  if (kind === 'unable') return !/^5/.test(codeOf(error));
  return kind === 'lost' || (kind === 'timeout' && !(error instanceof pg.DatabaseError));
}

/**
 * A statement ran on a node without its shard. The shard was moved, or Citus failed to plan a subquery on this connection before: it
 * never hands calls to nodes there again, and a new connection does.
 */
export function isMisplaced(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40001';
}

export function kindOf(error: unknown): Kind {
  if (!(error instanceof Error)) return 'other';
  if (error instanceof DatabaseUnable) return 'unable';
  const code = codeOf(error);
  if (error instanceof pg.DatabaseError) {
    if (/^(08|57P0[1235]|53300|25P0[34])/.test(code) || (code === 'XX000' && lostNode.test(error.message)))
      return 'lost';
    if (unableCodes.test(code) || (code === 'XX000' && unableMessages.test(error.message))) return 'unable';
    if (code === '57014' || code === '55P03') return 'timeout';
    if (code === 'XX000' && movedShard.test(error.message)) return 'conflict';
    return code === '40001' || code === '40P01' ? 'conflict' : 'other';
  }
  if (isTlsFailure(error)) return 'lost';
  if (/timeout/i.test(error.message)) return 'timeout';
  return /^E[A-Z]+$/.test(code) || /connection (terminated|error|ended)|not queryable|closed/i.test(error.message)
    ? 'lost'
    : 'other';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function translated(error: unknown): unknown {
  const kind = kindOf(error);
  if (kind === 'lost') return new DatabaseUnavailable('The database can’t be reached.', { cause: error });
  if (kind === 'unable') return new DatabaseUnable('The database can’t store anything.', { cause: error });
  if (kind === 'timeout') return new DatabaseTimeout('The database took too long.', { cause: error });
  return error;
}

/** The database failed, and certainly nothing was committed. */
export function isNothingCommitted(error: unknown): boolean {
  return [DatabaseUnavailable, DatabaseTimeout, DatabaseBusy].some((kind) => error instanceof kind);
}

/** Caused by one row, so the other items of its batch must not fail with it. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[123]/.test(error.code ?? '');
}

/** For a write that may violate a unique index: false if it did. Any other error is thrown again. */
export function falseIfTaken(error: unknown): false {
  // A node's error has no code of its own after a copy to a distributed table.
  if (error instanceof pg.DatabaseError && (error.code === '23505' || /^duplicate key value/.test(error.message)))
    return false;
  throw error;
}

/** A value that PostgreSQL or a calendar rejects would fail again. Any other fault passes, or affects everything. */
export function isRowFault(error: unknown): boolean {
  return error instanceof RangeError || isDataError(error);
}
