import pg from 'pg';
import { DatabaseUnavailable } from './errors.ts';

/** What PostgreSQL says when it doesn't let us in, and what to do about it. */
const refusals: Record<string, string> = {
  '28P01': 'the password is wrong',
  '28000': 'this login may not connect',
  '3D000': 'there is no such database',
  '53300': 'it has no connections left',
  '57P03': 'it is starting up or shutting down',
};

/** What the network says. */
const failures: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host’s name can’t be looked up',
  ETIMEDOUT: 'it doesn’t answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ECONNRESET: 'it closed the connection',
  ENOENT: 'there is no such socket',
};

/** One line for a person, if the error is that the database can't be reached; null for any other error. */
export function unreachableDatabase(error: unknown): string | null {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  const why = reasonOf(cause instanceof AggregateError ? cause.errors[0] : cause);
  if (why) return `The database can’t be reached: ${why}. Check DATABASE_URL.`;
  return error instanceof DatabaseUnavailable ? 'The database can’t be reached. Check DATABASE_URL.' : null;
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  if (error instanceof pg.DatabaseError) return refusals[String(code)];
  return 'syscall' in error ? failures[String(code)] : undefined;
}
