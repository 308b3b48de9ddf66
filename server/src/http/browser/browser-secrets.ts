import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { secretCookie } from './cookies.ts';

/**
 * A secret that each browser keeps from its first authorization request on. What begins in one browser is finished
 * there: the id of a request stands in an address, and whoever sees that must not be able to answer for the advisor.
 */
export function browserSecrets(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const name = `${secure ? '__Host-' : ''}assent-browser`;

  /** Empty where the browser has none, which belongs to nothing. */
  const read = ({ headers }: IncomingMessage) => secretCookie(headers.cookie, name) ?? '';

  return {
    read,
    /** With the cookie that gives it one, where it has none. */
    readOrMake(req: IncomingMessage): { browser: string; browserCookie?: string } {
      const known = read(req);
      if (known) return { browser: known };
      const browser = randomBytes(32).toString('base64url');
      const browserCookie = `${name}=${browser}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
      return { browser, browserCookie };
    },
  };
}
