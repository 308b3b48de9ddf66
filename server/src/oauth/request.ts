import { AsyncLocalStorage } from 'node:async_hooks';
import type { Deps } from '../deps.ts';
import type { Log } from '../log.ts';

/** One request's context at the authorization server, for hooks that the library calls without it. */
export type OAuthRequest = {
  /** With the request's transaction, if it has one. */
  deps: Deps;
  log: Log;
  path: string;
  address: string;
  traceId: string | null;
  /** The secret that only this browser has. */
  browser: string;
  /** The cookie that gives the browser its secret, with its first authorization request. */
  browserCookie?: string;
  note(error: string): void;
  fault?: unknown;
  /** The request presented a code or a refresh token that had been used before. */
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
