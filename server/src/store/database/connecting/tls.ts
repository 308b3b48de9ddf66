import { readFileSync } from 'node:fs';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import { urlsOf } from './urls.ts';

/** What the driver needs to connect. Without `ssl`, it connects without TLS. */
export type DatabaseAddress = { connectionString: string; ssl?: ConnectionOptions | false };

/** A setting for TLS in DATABASE_URL that can't be used. The message is one line for a person. */
export class TlsFault extends Error {}

const names = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/;

/**
 * The address in DATABASE_URL, with TLS as psql understands it, so that one URL does for both. The driver by itself takes
 * `require` and `verify-ca` for `verify-full`, and `sslrootcert=system` for a file.
 */
export function addressOf(url: string): DatabaseAddress {
  const { place, query } = partsOf(url);
  const [mode, root, cert, key] = names.map((name) => query.get(name));
  if (!mode) return { connectionString: url };
  for (const name of names) query.delete(name);
  const connectionString = query.size > 0 ? `${place}?${query}` : place;
  if (mode === 'disable' || isSocket(hostOf(url))) return { connectionString, ssl: false };
  return {
    connectionString,
    ssl: {
      ...verification(mode, root),
      ...(cert ? { cert: read('sslcert', cert) } : {}),
      ...(key ? { key: read('sslkey', key) } : {}),
    },
  };
}

/** Why somebody on the way to the database could read along; null if nobody could, or if the URL asks for no TLS. */
export function exposureOf(url: string): string | null {
  return urlsOf(url).map(exposureOfOne).find(Boolean) ?? null;
}

function exposureOfOne(url: string): string | null {
  const { query } = partsOf(url);
  const [host, mode] = [hostOf(url), query.get('sslmode')];
  if (isSocket(host) || loopback.test(host)) return null;
  if (mode === null) return 'it has no sslmode, so nothing is encrypted on the way';
  return mode === 'require' && !query.has('sslrootcert') ? 'sslmode=require doesn’t check who answers' : null;
}

/** An error of TLS itself: the server offers none, or its certificate doesn't convince us. */
export function isTlsFailure(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|SIGNATURE|^ERR_(TLS|SSL)_/.test(code) || /SSL connection/.test(error.message);
}

function verification(mode: string, root: string | null | undefined): ConnectionOptions {
  if (mode === 'require' && !root) return { rejectUnauthorized: false };
  // Without a name, it is the public CAs that Node.js knows.
  const ca = root === 'system' ? getCACertificates('system') : root ? read('sslrootcert', root) : undefined;
  // `require` with a CA checks as much as `verify-ca`: who signed the certificate, but not whose it is.
  return mode === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined };
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TlsFault(`${name} in DATABASE_URL names a file that can’t be read: ${path}.`, { cause });
  }
}

/** An address may have no host, which the URL parser refuses, so it is cut by hand. */
function partsOf(url: string): { place: string; query: URLSearchParams } {
  const [place = '', ...rest] = url.split('?');
  return { place, query: new URLSearchParams(rest.join('?')) };
}

function hostOf(url: string): string {
  const { place, query } = partsOf(url);
  return query.get('host') ?? decodeURIComponent(URL.parse(place)?.hostname ?? '');
}

function isSocket(host: string): boolean {
  return host === '' || host.startsWith('/');
}
