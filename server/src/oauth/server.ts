import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults } from 'oidc-provider';
import type { Deps } from '../deps.ts';
import { findClient } from '../domain/access/applications.ts';
import type { KeyRing } from '../domain/access/signing-keys.ts';
import { problem } from '../domain/problems.ts';
import type { Session } from '../domain/sign-in/sessions.ts';
import type { Log } from '../log.ts';
import type { Consent } from './configuration.ts';
import { errors, type Provider } from './library.js';
import type { ErrorPage } from './pages.ts';
import { makeProvider } from './provider.ts';
import { type OAuthRequest, runRequest } from './request.ts';
import { authorizePath } from './routes.ts';

/** An authorization request that waits for the advisor's decision. */
export type AuthorizationRequest = {
  uid: string;
  clientId: string;
  applicationName: string;
  scopes: string[];
  redirectUri: string;
  loginHint: string | null;
  /** The application wants to be sure: who signed in before this must do so again. */
  mustSignInAfter: Date | null;
};

/** The authorization requests that wait, as the pages see them. */
export type AuthorizationRequests = {
  /** The request that the browser's cookie names; null where it has expired, or the application is off. */
  findRequest(req: IncomingMessage, res: ServerResponse): Promise<AuthorizationRequest | null>;
  /** The advisor's decision; both return the path to go on to. */
  allow(req: IncomingMessage, res: ServerResponse, session: Session): Promise<string>;
  deny(req: IncomingMessage, res: ServerResponse): Promise<string>;
};

export type OAuthServer = AuthorizationRequests & {
  /** Whether it can answer at all; throws where it has never seen its keys. */
  ready(): Promise<void>;
  /** Answers a request at one of the paths of routes.ts. */
  handle(exchange: Exchange): Promise<void>;
};

export type Exchange = Pick<OAuthRequest, 'address' | 'traceId' | 'log' | 'note'> & {
  req: IncomingMessage;
  res: ServerResponse;
};

/** The secret that each browser keeps from its first authorization request on; http/ lends it. */
export type BrowserSecrets = {
  /** Empty where the browser has none, which belongs to nothing. */
  read(req: IncomingMessage): string;
  /** With the cookie that gives it one, where it has none. */
  readOrMake(req: IncomingMessage): { browser: string; browserCookie?: string };
};

type Setup = { keys: KeyRing; log: Log; errorPage: ErrorPage; browsers: BrowserSecrets };

/** Our authorization server: the library, on the keys that are published now. */
export function oauthServer(deps: Deps, { keys, log, errorPage, browsers }: Setup): OAuthServer {
  let built: { kids: string; provider: Provider } | undefined;

  /** Its keys are fixed when it is made, and all it remembers is in the database: with new keys, a new one. */
  async function provider(): Promise<Provider> {
    const published = await keys();
    const kids = published.map(({ kid }) => kid).join();
    if (built?.kids !== kids) built = { kids, provider: makeProvider(deps, published, errorPage) };
    return built.provider;
  }

  function within<Result>(request: Partial<OAuthRequest>, work: () => Promise<Result>): Promise<Result> {
    const unknown = { path: '', address: '', traceId: null, browser: '', note: () => {} };
    return runRequest({ deps, log, ...unknown, ...request }, work);
  }

  async function interaction(req: IncomingMessage, res: ServerResponse) {
    const server = await provider();
    const found = await server.interactionDetails(req, res).catch((error) => {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    });
    return found && req.url?.split('/').at(-1) === found.uid ? found : null;
  }

  async function finish(req: IncomingMessage, res: ServerResponse, result: InteractionResults): Promise<string> {
    const server = await provider();
    const returnTo = await server
      .interactionResult(req, res, result, { mergeWithLastSubmission: false })
      .catch((error) => {
        throw error instanceof errors.SessionNotFound ? expired() : error;
      });
    // The path alone: a browser that came by another name of this host stays with it, and with its cookies.
    return new URL(returnTo).pathname;
  }

  return {
    ready: async () => void (await provider()),
    handle: ({ req, res, ...exchange }) => {
      const path = req.url?.split('?', 1)[0] ?? '';
      return within({ path, ...browsers.readOrMake(req), ...exchange }, async () => {
        asIfDirect(req, deps.config.publicUrl);
        if (path === authorizePath) req.url = withConsentPrompt(req.url ?? '');
        await (await provider()).callback()(req, res);
      });
    },
    findRequest: (req, res) =>
      within({ browser: browsers.read(req) }, async () => {
        const found = await interaction(req, res);
        const application = found && (await findClient(deps, String(found.params.client_id)));
        if (!found || !application) return null;
        const { redirect_uri, scope, login_hint } = found.params;
        return {
          uid: found.uid,
          clientId: application.clientId,
          applicationName: application.name,
          scopes: String(scope).split(' '),
          redirectUri: String(redirect_uri),
          loginHint: typeof login_hint === 'string' ? login_hint : null,
          mustSignInAfter: mustSignInAfter(found),
        };
      }),
    allow: (req, res, session) =>
      within({ browser: browsers.read(req) }, async () => {
        const found = await interaction(req, res);
        if (!found) throw expired();
        const login = {
          accountId: String(session.advisorId),
          ts: Math.floor(session.signedInAt.getTime() / 1000),
          // RFC 8176: a password; or a key that was proved to be held, with the user's presence checked.
          amr: session.method === 'password' ? ['pwd'] : ['pop', 'user'],
        };
        const consent: Consent = { scopes: String(found.params.scope).split(' ') };
        return finish(req, res, { login, consent });
      }),
    deny: (req, res) =>
      within({ browser: browsers.read(req) }, () =>
        finish(req, res, { error: 'access_denied', error_description: 'The advisor denied the request.' }),
      ),
  };
}

/**
 * The library believes the request about its host, which behind a proxy is another one, and in the sandbox may be
 * 127.0.0.1; what it writes into its answers must be the address that the operator gave.
 */
function asIfDirect(req: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl);
  req.headers.host = host;
  req.headers['x-forwarded-host'] = host;
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

/** The advisor decides on each request, so each asks for that; without it the library would drop `offline_access`. */
function withConsentPrompt(target: string): string {
  const [path = ''] = target.split('?', 1);
  const parameters = new URLSearchParams(target.slice(path.length));
  const prompts = parameters.getAll('prompt');
  if (prompts.length > 1 || prompts[0] === 'none') return target;
  const wanted = new Set(prompts[0]?.split(' ').filter(Boolean));
  parameters.set('prompt', [...wanted.add('consent')].join(' '));
  return `${path}?${parameters}`;
}

/** By the time of the request: whoever signed in for it may take as long as they like to decide. */
function mustSignInAfter({ iat, params }: { iat?: number; params: Record<string, unknown> }): Date | null {
  const asked = Number(iat);
  if (String(params.prompt).split(' ').includes('login')) return new Date(asked * 1000);
  return params.max_age === undefined ? null : new Date((asked - Number(params.max_age)) * 1000);
}

function expired() {
  return problem('invalid_request', 'The application’s request has expired: begin again from there.');
}
