import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Deps, onReserved } from '../deps.ts';
import type { SigningKeyRing } from '../domain/access/signing-keys.ts';
import type { Log } from '../log.ts';
import { type AuthorizationRequests, authorizationRequests } from './authorization-requests.ts';
import type { Provider } from './library.js';
import type { ErrorPage } from './pages.ts';
import { makeProvider } from './provider.ts';
import { type OAuthRequest, runRequest } from './request.ts';
import { authorizePath, revokePath } from './routes.ts';

export type OAuthServer = AuthorizationRequests & {
  /** Throws if it can't answer at all, because it has never seen its keys. */
  ready(): Promise<void>;
  handle(exchange: OAuthExchange): Promise<void>;
};

type OAuthExchange = Pick<OAuthRequest, 'address' | 'traceId' | 'log' | 'note'> & {
  req: IncomingMessage;
  res: ServerResponse;
};

/** The secret that a browser keeps from its first authorization request on; http/ provides it. */
type BrowserSecrets = {
  /** Empty if the browser has none; no request belongs to that. */
  read(req: IncomingMessage): string;
  /** With the cookie that gives the browser a secret, if it has none. */
  readOrMake(req: IncomingMessage): { browser: string; browserCookie?: string };
};

type Setup = { keys: SigningKeyRing; log: Log; errorPage: ErrorPage; browsers: BrowserSecrets };

/** Our authorization server: the library, with the keys that are published now. */
export function oauthServer(deps: Deps, { keys, log, errorPage, browsers }: Setup): OAuthServer {
  let built: { kids: string; provider: Provider } | undefined;

  /** A provider's keys are fixed and all its state is in the database, so new keys mean a new provider. */
  async function provider(): Promise<Provider> {
    const published = await keys();
    const kids = published.map(({ kid }) => kid).join();
    if (built?.kids !== kids) built = { kids, provider: makeProvider(deps, published, errorPage) };
    return built.provider;
  }

  function run<Result>(request: Partial<OAuthRequest>, work: () => Promise<Result>): Promise<Result> {
    const unknown = { path: '', address: '', traceId: null, browser: '', note: () => {} };
    return runRequest({ deps, log, ...unknown, ...request }, work);
  }

  const requests = authorizationRequests(deps, provider);
  return {
    ready: async () => void (await provider()),
    handle: ({ req, res, ...exchange }) => {
      const path = req.url?.split('?', 1)[0] ?? '';
      const of = { path, deps: path === revokePath ? onReserved(deps) : deps };
      return run({ ...of, ...browsers.readOrMake(req), ...exchange }, async () => {
        setPublicHost(req, deps.config.publicUrl);
        if (path === authorizePath) req.url = withConsentPrompt(req.url ?? '');
        await (await provider()).callback()(req, res);
      });
    },
    findRequest: (req, res) => run({ browser: browsers.read(req) }, () => requests.findRequest(req, res)),
    allow: (req, res, session) => run({ browser: browsers.read(req) }, () => requests.allow(req, res, session)),
    deny: (req, res) => run({ browser: browsers.read(req) }, () => requests.deny(req, res)),
  };
}

/**
 * The library trusts the request about its host, which is different behind a proxy, and may be 127.0.0.1 in the sandbox.
 * Its answers must contain the address that the operator configured.
 */
function setPublicHost(req: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl);
  req.headers.host = host;
  req.headers['x-forwarded-host'] = host;
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

/** The advisor decides on every request, so every request asks for that; otherwise the library drops `offline_access`. */
function withConsentPrompt(target: string): string {
  const [path = ''] = target.split('?', 1);
  const parameters = new URLSearchParams(target.slice(path.length));
  const prompts = parameters.getAll('prompt');
  if (prompts.length > 1 || prompts[0] === 'none') return target;
  const wanted = new Set(prompts[0]?.split(' ').filter(Boolean));
  parameters.set('prompt', [...wanted.add('consent')].join(' '));
  return `${path}?${parameters}`;
}
