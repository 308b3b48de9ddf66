import pg from 'pg';
import { DatabaseUnavailable } from '../errors.ts';
import { isTlsFailure, TlsFault } from './tls.ts';

/** What PostgreSQL says when it doesn't let us in. */
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

const checkAddress = 'Check DATABASE_URL.';

/** One line for a person, if the error is that the database can't be reached; null for any other error. */
export function unreachableDatabase(error: unknown): string | null {
  if (error instanceof TlsFault) return error.message;
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  const reason = reasonOf(cause instanceof AggregateError ? cause.errors[0] : cause);
  if (reason) return `The database can’t be reached: ${reason.why}. ${reason.next ?? checkAddress}`;
  return error instanceof DatabaseUnavailable ? `The database can’t be reached. ${checkAddress}` : null;
}

/** Why, and what to do about it if that isn't to check the address. */
type Reason = { why: string; next?: string };

function reasonOf(error: unknown): Reason | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof pg.DatabaseError) return refusalOf(code, error.message);
  if (isTlsFailure(error)) return tlsReasonOf(code, error);
  // What has a path is about a file: one that isn't there has the code of a socket that isn't.
  const why = 'syscall' in error && !('path' in error) && failures[code];
  return why ? { why } : null;
}

function refusalOf(code: string, message: string): Reason | null {
  if (code === '28000' && /no encryption/.test(message))
    return { why: 'it lets this login in over TLS only', next: 'Add sslmode=verify-full to DATABASE_URL.' };
  const why = refusals[code];
  return why ? { why } : null;
}

function tlsReasonOf(code: string, error: Error): Reason {
  if (/not support SSL/.test(error.message))
    return { why: 'it doesn’t offer TLS, and sslmode asks for it', next: 'Turn on `ssl` in postgresql.conf.' };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      why: `its certificate is for another name (${namesIn(error)})`,
      next: 'Put a name of the certificate into DATABASE_URL, or give the server a certificate for the name there.',
    };
  if (code === 'CERT_HAS_EXPIRED') return { why: 'its certificate has expired', next: 'Renew it on the server.' };
  if (/SIGN|ISSUER|LEAF/.test(code))
    return {
      why: 'its certificate isn’t signed by a CA that we trust',
      next: 'Put the certificate of its CA into the file that sslrootcert in DATABASE_URL names.',
    };
  return { why: `TLS failed with ${code || 'no reason given'}`, next: 'Check its certificate.' };
}

/** The names that the certificate has, as Node's error carries them. */
function namesIn(error: Error): string {
  const { cert } = error as { cert?: { subjectaltname?: string; subject?: { CN?: string } } };
  return cert?.subjectaltname?.replaceAll(/(DNS|IP Address):/g, '') ?? cert?.subject?.CN ?? 'none';
}
