import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults } from 'oidc-provider';
import type { Deps } from '../deps.ts';
import { findClient } from '../domain/access/applications.ts';
import { problem } from '../domain/problems.ts';
import type { Session } from '../domain/sign-in/sessions.ts';
import type { Consent } from './configuration.ts';
import { errors, type Provider } from './library.js';

export type AuthorizationRequest = {
  uid: string;
  clientId: string;
  applicationName: string;
  scopes: string[];
  redirectUri: string;
  loginHint: string | null;
  /** The application wants a recent sign-in: an advisor who signed in before this must do so again. */
  mustSignInAfter: Date | null;
};

export type AuthorizationRequests = ReturnType<typeof authorizationRequests>;

export function authorizationRequests(deps: Deps, provider: () => Promise<Provider>) {
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
    // The path alone: a browser that came by another of this host's names stays there, with its cookies.
    return new URL(returnTo).pathname;
  }

  return {
    /** The request in the browser's cookie; null if it has expired or the application is disabled. */
    async findRequest(req: IncomingMessage, res: ServerResponse): Promise<AuthorizationRequest | null> {
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
    },
    /** The advisor's decision; this and `deny` return the path to continue at. */
    async allow(req: IncomingMessage, res: ServerResponse, session: Session): Promise<string> {
      const found = await interaction(req, res);
      if (!found) throw expired();
      const login = {
        accountId: String(session.advisorId),
        ts: Math.floor(session.signedInAt.getTime() / 1000),
        // RFC 8176: a password; or proof of possession of a key, with a check that the user was present.
        amr: session.method === 'password' ? ['pwd'] : ['pop', 'user'],
      };
      const consent: Consent = { scopes: String(found.params.scope).split(' ') };
      return finish(req, res, { login, consent });
    },
    deny: (req: IncomingMessage, res: ServerResponse) =>
      finish(req, res, { error: 'access_denied', error_description: 'The advisor denied the request.' }),
  };
}

/** Counted from the request: an advisor who signed in for it may take as long as they like to decide. */
function mustSignInAfter({ iat, params }: { iat?: number; params: Record<string, unknown> }): Date | null {
  const asked = Number(iat);
  if (String(params.prompt).split(' ').includes('login')) return new Date(asked * 1000);
  return params.max_age === undefined ? null : new Date((asked - Number(params.max_age)) * 1000);
}

function expired() {
  return problem('invalid_request', 'The application’s request has expired: start again from there.');
}
