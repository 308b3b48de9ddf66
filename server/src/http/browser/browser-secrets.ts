import type { IncomingMessage } from 'node:http';
import { newToken } from '../../domain/shared/secrets.ts';
import { cookieName, secretCookie } from './cookies.ts';

/**
 * A secret that each browser keeps from its first authorization request on. A request is finished in the browser where it
 * started: its id is in a URL, and someone who sees the URL must not be able to answer for the advisor.
 */
export function browserSecrets(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const name = cookieName(publicUrl, 'browser');

  /** Empty if the browser has none, which matches no request. */
  const read = ({ headers }: IncomingMessage) => secretCookie(headers.cookie, name) ?? '';

  return {
    read,
    /** Also returns the cookie that sets the secret, if it is new. */
    readOrMake(req: IncomingMessage): { browser: string; browserCookie?: string } {
      const known = read(req);
      if (known) return { browser: known };
      const browser = newToken();
      const browserCookie = `${name}=${browser}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
      return { browser, browserCookie };
    },
  };
}
