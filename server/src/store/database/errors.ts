import pg from 'pg';

/** The database can't be reached, and nothing was committed. */
export class DatabaseUnavailable extends Error {}
/** A statement, a lock or a connection took too long, and nothing was committed. */
export class DatabaseTimeout extends Error {}
/** More requests are waiting for a connection than can be served soon. */
export class DatabaseBusy extends Error {}
/** The connection broke during a commit, and within settleMs nothing could tell whether it took effect. */
export class OutcomeUnknown extends Error {}

type Kind = 'lost' | 'timeout' | 'conflict' | 'other';

/** After such an error the connection is useless, and its last statement may or may not have taken effect. */
export function isBroken(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 'lost' || (kind === 'timeout' && !(error instanceof pg.DatabaseError));
}

export function kindOf(error: unknown): Kind {
  if (!(error instanceof Error)) return 'other';
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof pg.DatabaseError) {
    if (/^(08|57P0[1235]|53300|25P0[34])/.test(code)) return 'lost';
    if (code === '57014' || code === '55P03') return 'timeout';
    return code === '40001' || code === '40P01' ? 'conflict' : 'other';
  }
  if (/timeout/i.test(error.message)) return 'timeout';
  return /^E[A-Z]+$/.test(code) || /connection (terminated|error|ended)|not queryable|closed/i.test(error.message)
    ? 'lost'
    : 'other';
}

export function translated(error: unknown): unknown {
  const kind = kindOf(error);
  if (kind === 'lost') return new DatabaseUnavailable('The database can’t be reached.', { cause: error });
  if (kind === 'timeout') return new DatabaseTimeout('The database took too long.', { cause: error });
  return error;
}

/** Caused by one row, so the other items of its batch must not fail with it. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[123]/.test(error.code ?? '');
}

/** For a write that may violate a unique index: false if it did. Any other error is thrown again. */
export function falseIfTaken(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === '23505') return false;
  throw error;
}
