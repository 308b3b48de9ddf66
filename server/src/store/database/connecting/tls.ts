import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** A file for TLS in DATABASE_URL that can't be read. The message is one line for a person. */
export class TlsFault extends Error {}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Why somebody on the way to the database could read along, as the driver reads the URL; null if nobody could, or if the URL asks for no TLS. */
export function exposureOf(connectionString: string): string | null {
  const client = new pg.Client({ connectionString });
  // The driver's types know no other than true and false.
  const ssl = client.ssl as boolean | ConnectionOptions;
  if (client.host.startsWith('/') || loopback.test(client.host)) return null;
  if (/[?&]sslmode=disable(&|$)/.test(connectionString)) return null;
  if (!ssl) return 'it has no sslmode, so nothing is encrypted on the way';
  return ssl !== true && ssl.rejectUnauthorized === false ? 'its sslmode doesn’t check who answers' : null;
}

/** The driver's client. It reads the files that the URL names. */
export function clientOf(config: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch (cause) {
    const path = cause instanceof Error && 'path' in cause ? `: ${cause.path} can’t be read` : '';
    throw new TlsFault(`DATABASE_URL can’t be used${path}. Check its sslrootcert, sslcert and sslkey.`, { cause });
  }
}

/** An error of TLS itself: the server offers none, or its certificate doesn't convince us. */
export function isTlsFailure(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|SIGNATURE|^ERR_(TLS|SSL)_/.test(code) || /SSL connection/.test(error.message);
}
