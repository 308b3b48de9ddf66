import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { authorize, findProvisioned } from '../domain/access/grants.ts';
import { allScopes, isScope, textScopes } from '../domain/access/scopes.ts';
import { algorithm, type SigningKey, tokenLifetimeSeconds } from '../domain/access/signing-keys.ts';
import { findAdvisor } from '../domain/accounts/advisors.ts';
import { adapterFor } from './adapter.ts';
import { errors, interactionPolicy } from './library.js';
import { currentRequest } from './request.ts';
import { authorizePath, interactionPath, jwksPath, revokePath, tokenPath } from './routes.ts';

const codeSeconds = 60;
const interactionSeconds = 30 * 60;
const refreshTokenSeconds = 90 * 24 * 60 * 60;
const off = { enabled: false };
const clientAuthMethods: Configuration['clientAuthMethods'] = ['client_secret_basic', 'client_secret_post'];

type Setup = { keys: SigningKey[]; api: string; secure: boolean; renderError: Configuration['renderError'] };

/** The library, narrowed to the contract. */
export function configuration({ keys, api, secure, renderError }: Setup): Configuration {
  return {
    adapter: adapterFor,
    findAccount,
    renderError,
    extraTokenClaims,
    jwks: { keys: keys.flatMap(signingJwk) as never },
    scopes: allScopes,
    claims: { openid: ['sub', 'name', 'email', 'advisor_id'] },
    responseTypes: ['code'],
    clientAuthMethods,
    clientDefaults: { id_token_signed_response_alg: algorithm },
    clientBasedCORS: () => false,
    // The library advertises them for the token endpoint only.
    discovery: { revocation_endpoint_auth_methods_supported: clientAuthMethods },
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    loadExistingGrant,
    // Access ends when the advisor disconnects the application, not when a browser is closed.
    expiresWithSession: async () => false,
    extraParams: { state: requireState, scope: requireScope },
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${interactionPath}/${uid}` },
    routes: { authorization: authorizePath, token: tokenPath, revocation: revokePath, jwks: jwksPath },
    cookies: cookies(secure),
    ttl: {
      AccessToken: tokenLifetimeSeconds,
      ClientCredentials: tokenLifetimeSeconds,
      IdToken: tokenLifetimeSeconds,
      AuthorizationCode: codeSeconds,
      RefreshToken: refreshTokenSeconds,
      Interaction: interactionSeconds,
      Session: interactionSeconds,
      Grant: refreshTokenSeconds,
    },
    features: {
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: ownTokensOnly },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => api,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => resourceServer(ctx, resource, api),
      },
      devInteractions: off,
      userinfo: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      rpInitiatedLogout: off,
    },
  };
}

/** The library publishes only keys that it could sign with. */
function signingJwk({ kid, privateJwk }: SigningKey) {
  return privateJwk ? [{ ...privateJwk, kid, alg: algorithm, use: 'sig' }] : [];
}

/**
 * The advisor's permission takes effect here, in the transaction that also issues the code. Until then they can change
 * their mind, and the last decision counts.
 */
async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { result, client, account, provider } = ctx.oidc;
  const { scopes } = (result?.consent ?? {}) as Consent;
  if (!scopes || !client || !account) return undefined;
  const allowed = { clientId: client.clientId, scopes };
  const { deps, traceId } = currentRequest();
  return provider.Grant.find(await authorize(deps, Number(account.accountId), allowed, traceId));
}

/** Our pages give this to the library when the advisor allows the request. */
export type Consent = { scopes?: string[] };

async function findAccount(_ctx: KoaContextWithOIDC, accountId: string) {
  const advisor = await findAdvisor(currentRequest().deps, accountId);
  if (!advisor || advisor.disabled) return undefined;
  const { advisorId, name, email } = advisor;
  return { accountId, claims: () => ({ sub: accountId, name, email, advisor_id: advisorId }) };
}

/** The claims that our API reads from an access token: the advisor, and what the token ends with. */
async function extraTokenClaims(
  ctx: KoaContextWithOIDC,
  token: { kind: string; accountId?: string; grantId?: string; sessionUid?: string },
) {
  if (token.kind === 'ClientCredentials') return clientCredentialsClaims(ctx);
  const { accountId, grantId: grant_id, sessionUid: authorization_id } = token;
  return { advisor_id: Number(accountId), grant_id, authorization_id };
}

/** The only resource is our API, which knows all scopes, so one token carries `core.*`, `text.*` and `openid`. */
async function resourceServer(ctx: KoaContextWithOIDC, resource: string, api: string) {
  if (resource !== api) throw new errors.InvalidTarget('The only resource is the API itself.');
  if (ctx.oidc.params?.grant_type === 'client_credentials') textScopesOnly(ctx);
  // The library would drop unknown scopes silently.
  for (const scope of ctx.oidc.requestParamScopes)
    if (!isScope(scope)) throw new errors.InvalidScope(`There is no scope ${scope}.`, scope);
  return {
    scope: allScopes.join(' '),
    audience: api,
    accessTokenFormat: 'jwt' as const,
    accessTokenTTL: tokenLifetimeSeconds,
    jwt: { sign: { alg: algorithm } } as const,
  };
}

function requireState(ctx: KoaContextWithOIDC, state: string | undefined): void {
  // The request is stored in PostgreSQL, which rejects NUL.
  if (Object.values(ctx.oidc.params ?? {}).some((value) => String(value).includes('\0')))
    throw new errors.InvalidRequest('A parameter contains NUL (%00).');
  if (!state) throw new errors.InvalidRequest('The parameter state is missing: send a random value with each request.');
  // The library accepts longer ones, which no verifier could ever match.
  if (!/^[\w-]{43}$/.test(String(ctx.oidc.params?.code_challenge)))
    throw new errors.InvalidRequest('The code_challenge must be a base64url-encoded SHA-256 hash: 43 characters.');
}

function requireScope(_ctx: unknown, scope: string | undefined): void {
  if (!scope) throw new errors.InvalidRequest('The parameter scope is missing.');
  if (!scope.split(' ').includes('openid')) throw new errors.InvalidScope('The scope openid is required.', 'openid');
}

/** The advisor decides on every request, on our own pages, which also sign them in: the library has nothing more to ask. */
function policy() {
  const { Check, Prompt, base } = interactionPolicy;
  const prompts = base();
  prompts.clear();
  prompts.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('undecided', 'The advisor decides about every request: leave prompt=none out.', isUndecided),
    ),
  );
  prompts.add(new Prompt({ name: 'login', requestable: true }));
  return prompts;
}

function isUndecided({ oidc }: KoaContextWithOIDC): boolean {
  if (!oidc.result?.consent) return true;
  // Disabled in the meantime: the library assumes that the advisor who decided still exists.
  if (!oidc.account) throw new errors.AccessDenied('The account of the advisor is disabled.');
  return false;
}

async function ownTokensOnly(_ctx: unknown, client: { clientId: string }, token: { clientId?: string | undefined }) {
  if (token.clientId !== client.clientId)
    throw new errors.InvalidRequest('The token was issued to a different client.');
  return true;
}

/** The two cookies that carry a request are bound to its path, so that requests in two tabs don't mix. */
function cookies(secure: boolean): Configuration['cookies'] {
  const prefix = secure ? '__Secure-' : '';
  const options = { httpOnly: true, sameSite: 'lax', secure, signed: false, overwrite: true } as const;
  return {
    names: {
      interaction: `${prefix}assent-interaction`,
      resume: `${prefix}assent-resume`,
      session: sessionCookie,
    },
    short: options,
    long: options,
  };
}

/** The library's own session, which never reaches a browser (provider.ts). */
export const sessionCookie = 'assent-oauth';

const wholeNumber = /^(0|[1-9]\d{0,14})$/;

/** Without a scope, all of the application's text scopes; any other scope needs an advisor's permission. */
function textScopesOnly(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc;
  if (!params || !client) throw new Error('The client is not known yet.');
  const provisioned = new Set(client.scope?.split(' '));
  params.scope ??= textScopes.filter((scope) => provisioned.has(scope)).join(' ');
  if (params.scope === '') throw new errors.InvalidScope('This application has no text scope.', textScopes.join(' '));
  for (const scope of ctx.oidc.requestParamScopes)
    if (!textScopes.some((each) => each === scope))
      throw new errors.InvalidScope(
        `Client credentials carry text scopes only (${textScopes.join(', ')}), not ${scope}.`,
        scope,
      );
}

/** The advisor in the form, or the only one that the application is provisioned for. */
async function clientCredentialsClaims(ctx: KoaContextWithOIDC) {
  const { deps } = currentRequest();
  const advisorId = advisorIdOf(ctx.oidc.body?.advisor_id);
  const provisioned = await findProvisioned(deps, ctx.oidc.client?.clientId ?? '', advisorId);
  if (provisioned === 'several')
    throw new errors.InvalidRequest('The advisor_id is missing: this application is provisioned for several advisors.');
  if (provisioned === 'none') throw notProvisioned(advisorId);
  return { advisor_id: provisioned.advisorId, grant_id: provisioned.grantId };
}

function advisorIdOf(given: unknown): number | null {
  if (given === undefined || given === '') return null;
  if (typeof given !== 'string' || !wholeNumber.test(given))
    throw new errors.InvalidRequest('The advisor_id must be one whole number.');
  return Number(given);
}

function notProvisioned(advisorId: number | null) {
  const whom = advisorId === null ? 'any advisor' : `advisor ${advisorId}`;
  const description = `This application is not provisioned for ${whom}, or was disconnected: ask the operator.`;
  return Object.assign(new errors.InvalidGrant(description), { error_description: description });
}
