import { AsyncLocalStorage } from 'node:async_hooks';
import type { Deps } from '../deps.ts';
import type { Log } from '../log.ts';

/** What belongs to one request at the authorization server, for the hooks that the library calls without it. */
export type OAuthRequest = {
  /** With the transaction of the request, where it has one. */
  deps: Deps;
  log: Log;
  path: string;
  address: string;
  traceId: string | null;
  /** What only this browser has (browser.ts). */
  browser: string;
  /** Gives it to the browser, with the first authorization request that waits for its advisor. */
  browserCookie?: string;
  /** Tells the log which OAuth error the answer is. */
  note(error: string): void;
  /** What went wrong on our side. */
  fault?: unknown;
  /** A code or a refresh token was presented that had been used before. */
  reused?: true;
};

const requests = new AsyncLocalStorage<OAuthRequest>();

export function runRequest<Result>(request: OAuthRequest, work: () => Result): Result {
  return requests.run(request, work);
}

export function currentRequest(): OAuthRequest {
  const request = requests.getStore();
  if (!request) throw new Error('There is no request at the authorization server.');
  return request;
}
