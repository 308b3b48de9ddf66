import { attempt, backoff, defaultFetch, type Fetch, type HttpResponse, pause, retryAfterMs } from './attempts.ts';
import { AssentError } from './errors.ts';
import type { TokenSource } from './transport.ts';

export type Tokens = {
  accessToken: string;
  /** Only with the scope `offline_access`. */
  refreshToken?: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
  scope: string;
};

/** Where an advisor's tokens are kept, on the server. It may be shared by processes. */
export type TokenStore = {
  get(): Tokens | null | undefined | Promise<Tokens | null | undefined>;
  set(tokens: Tokens): void | Promise<void>;
};

export type ClientOptions = { tokenUrl: string; clientId: string; clientSecret: string; fetch?: Fetch };

/** A token is renewed this long before it expires. */
const earlyMs = 60_000;
const attemptMs = 8_000;
/** A refresh token that was used may be used again for 30 seconds, in case the answer was lost. After that the grant would end. */
const attemptsMs = 25_000;

/** The address to send the advisor's browser to. Keep `state` and `verifier` in their session: `callback` and `exchange` need them. */
export async function authorizeUrl({
  authUrl,
  clientId,
  redirectUri,
  scope,
}: {
  authUrl: string;
  clientId: string;
  redirectUri: string;
  scope: string | readonly string[];
}): Promise<{ url: string; state: string; verifier: string }> {
  const [verifier, state] = [random(32), random(16)];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(authUrl);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    state,
    scope: typeof scope === 'string' ? scope : scope.join(' '),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** The code from the address that the browser came back to. Throws with the code `state` if it isn't an answer to this request. */
export function callback(callbackUrl: string | URL, { state }: { state: string }): { code: string } {
  const { searchParams } = new URL(callbackUrl, 'http://localhost');
  if (!state || searchParams.get('state') !== state)
    throw new AssentError('The state is not the one of this session.', { code: 'state' });
  const error = searchParams.get('error');
  if (error) throw new AssentError(searchParams.get('error_description') ?? error, { code: error });
  const code = searchParams.get('code');
  if (!code) throw new AssentError('The address has no code.', { code: 'bad_response' });
  return { code };
}

/** Tokens for a code. A code works once, so only an answer that says that it wasn't looked at is tried again. */
export async function exchange({
  redirectUri,
  code,
  verifier,
  ...client
}: ClientOptions & { redirectUri: string; code: string; verifier: string }): Promise<Tokens> {
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  return requestTokens(client, form, { isRepeatable: false });
}

/**
 * Access tokens of one advisor, refreshed before they expire, once for all who ask. Throws with the code `invalid_grant` when the
 * advisor has to connect again.
 */
export function tokenSource({ store, ...client }: ClientOptions & { store: TokenStore }): TokenSource {
  let known: Tokens | null = null;
  let isStored = true;
  let renewing: Promise<Tokens> | null = null;

  async function keep(tokens: Tokens): Promise<Tokens> {
    known = tokens;
    isStored = false;
    await store.set(tokens);
    isStored = true;
    return tokens;
  }

  /** Another process may have stored newer ones. */
  async function readStore(): Promise<Tokens | null> {
    if (known && !isStored) return keep(known);
    known = (await store.get()) ?? null;
    return known;
  }

  async function renew(rejected: string | undefined): Promise<Tokens> {
    const stored = await readStore();
    if (stored && isGood(stored, rejected)) return stored;
    if (!stored?.refreshToken) throw disconnected(stored ? 'There is no refresh token.' : 'No tokens are stored.');
    const { refreshToken } = stored;
    try {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const tokens = await requestTokens(client, form, { isRepeatable: true });
      return await keep({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken });
    } catch (error) {
      if (!(error instanceof AssentError) || error.code !== 'invalid_grant') throw error;
      const newer = await readStore();
      if (newer && newer.refreshToken !== refreshToken && isGood(newer, rejected)) return newer;
      throw error;
    }
  }

  return async ({ refresh, rejected }) => {
    if (!known && !refresh) await readStore();
    const current = known as Tokens | null;
    if (current && isStored && isGood(current, refresh ? (rejected ?? current.accessToken) : undefined))
      return current.accessToken;
    renewing ??= renew(refresh ? (rejected ?? current?.accessToken) : undefined).finally(() => {
      renewing = null;
    });
    return (await renewing).accessToken;
  };
}

/** Access tokens without an advisor's sign-in, for those that the operator has provisioned the application for. */
export function clientCredentials({
  advisorId,
  scope,
  ...client
}: ClientOptions & { advisorId?: number | string; scope?: string | readonly string[] }): TokenSource {
  let known: Tokens | null = null;
  let renewing: Promise<Tokens> | null = null;
  const form = {
    grant_type: 'client_credentials',
    ...(advisorId !== undefined && { advisor_id: String(advisorId) }),
    ...(scope !== undefined && { scope: typeof scope === 'string' ? scope : scope.join(' ') }),
  };

  return async ({ refresh, rejected }) => {
    if (known && isGood(known, refresh ? (rejected ?? known.accessToken) : undefined)) return known.accessToken;
    renewing ??= requestTokens(client, form, { isRepeatable: true }).finally(() => {
      renewing = null;
    });
    known = await renewing;
    return known.accessToken;
  };
}

function isGood({ accessToken, expiresAt }: Tokens, rejected: string | undefined): boolean {
  return accessToken !== rejected && expiresAt - Date.now() > earlyMs;
}

function disconnected(why: string): AssentError {
  return new AssentError(`${why} Connect the advisor again.`, { code: 'invalid_grant' });
}

async function requestTokens(
  { tokenUrl, clientId, clientSecret, fetch = defaultFetch }: ClientOptions,
  form: Record<string, string>,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<Tokens> {
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret }).toString();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body,
  };
  const endMs = Date.now() + attemptsMs;
  for (let attempts = 1; ; attempts++) {
    const sentMs = Date.now();
    try {
      const timeout = Math.min(attemptMs, endMs - sentMs);
      return tokensIn(await attempt(fetch, tokenUrl, init, { timeout }), sentMs);
    } catch (error) {
      if (!(error instanceof AssentError) || !error.retryable) throw error;
      if (!isRepeatable && error.status !== 503) throw error;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, backoff(attempts));
      if (Date.now() + pauseMs >= endMs - 500) throw error;
      await pause(pauseMs);
    }
  }
}

type TokenResponse = {
  access_token?: unknown;
  refresh_token?: unknown;
  expires_in?: unknown;
  scope?: unknown;
  error?: unknown;
  error_description?: unknown;
};

function tokensIn({ status, headers, text }: HttpResponse, sentMs: number): Tokens {
  const traceId = headers.get('x-trace-id') ?? undefined;
  const body = readJson(text);
  if (status === 200 && typeof body.access_token === 'string' && typeof body.expires_in === 'number')
    return {
      accessToken: body.access_token,
      ...(typeof body.refresh_token === 'string' && { refreshToken: body.refresh_token }),
      // From when it was asked for: it can't be older than that.
      expiresAt: sentMs + body.expires_in * 1000,
      scope: typeof body.scope === 'string' ? body.scope : '',
    };
  const retryable = status === 429 || status >= 500;
  const wait = retryAfterMs(headers);
  if (status !== 200 && typeof body.error === 'string')
    throw new AssentError(typeof body.error_description === 'string' ? body.error_description : body.error, {
      code: body.error,
      status,
      traceId,
      retryable,
      retryAfterMs: wait,
    });
  throw new AssentError(`The token endpoint answered ${status} with something else than tokens.`, {
    code: 'bad_response',
    status,
    traceId,
    retryable,
    retryAfterMs: wait,
  });
}

function readJson(text: string): TokenResponse {
  try {
    return (JSON.parse(text) ?? {}) as TokenResponse;
  } catch {
    return {};
  }
}

function random(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
