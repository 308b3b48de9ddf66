import assert from 'node:assert/strict';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
import { allOf, type Client, makeClient, signedIn, type Tokens } from '../support/oauth-client.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type WorldOptions } from '../support/world.ts';

export const formType = 'application/x-www-form-urlencoded';

/** A partner's CRM, another application, and a browser in which ann is signed in. */
export async function makeOAuthWorld(options: WorldOptions = {}) {
  const world = await makeWorld(options);
  const crm = await makeClient(world);
  const other = await makeClient(world, { name: 'Another CRM' });
  const annsBrowser = await signedIn(world, world.ann);

  /** A code for ann, from her browser. */
  async function codeFor(client: Client, changes: Record<string, string> = {}): Promise<string> {
    return (await client.authorizeIn(annsBrowser, changes)).searchParams.get('code') ?? '';
  }

  async function tokensFor(client: Client, scope = allOf): Promise<Tokens> {
    return granted(await client.redeem(await codeFor(client, { scope })));
  }

  async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return inject(world.app, { method: 'GET', url, headers });
  }

  function post(payload: string | Buffer, headers: Record<string, string> = {}, url = '/oauth/token'): Promise<Answer> {
    return inject(world.app, { method: 'POST', url, headers: { 'content-type': formType, ...headers }, payload });
  }

  async function verified(jwt: string) {
    const { body } = await ask('/oauth/jwks');
    return jwtVerify(jwt, createLocalJWKSet(body));
  }

  /** Makes a code or a refresh token look expired. */
  async function expire(token: string): Promise<void> {
    await world.database.asOwner(
      `update oauth_tokens
       set date_time_expires = now() - interval '1 second', payload = jsonb_set(payload, '{exp}', to_jsonb(1))
       where token_hash = $1`,
      [hashSecret(token)],
    );
  }

  /** Back to the application, with the error in the query beside what the address had of its own. */
  function assertRefused(answer: Answer, error: string, state: string | null, description = /./): void {
    assert.equal(answer.status, 303, answer.body);
    const location = new URL(answer.headers.location ?? '');
    assert.equal(location.origin + location.pathname, 'https://crm.example/callback');
    assert.equal(location.hash, '');
    const { searchParams } = location;
    assert.equal(searchParams.get('tenant'), '7');
    assert.equal(searchParams.get('error'), error, location.href);
    assert.equal(searchParams.get('state'), state);
    assert.equal(searchParams.get('iss'), world.config.publicUrl);
    assert.equal(searchParams.get('code'), null);
    assertDescription(searchParams.get('error_description'), description);
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.equal(answer.headers['cache-control'], 'no-store');
  }

  return { world, crm, other, annsBrowser, codeFor, tokensFor, ask, post, verified, expire, assertRefused };
}

export function granted({ status, body }: Answer): Tokens {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The tokens for the code that the browser came back with. */
export async function redeemed(client: Client, back: URL): Promise<Tokens> {
  const redirect_uri = `${back.origin}${back.pathname}${back.searchParams.has('tenant') ? '?tenant=7' : ''}`;
  return granted(await client.redeem(back.searchParams.get('code') ?? '', { redirect_uri }));
}

/** The OAuth error body and nothing else; not cached, and not for browsers. */
export function assertError(answer: Answer, status: number, error: string, description = /./): void {
  const { body, headers } = answer;
  const shown = `${answer.status} ${JSON.stringify(body)}`;
  assert.equal(answer.status, status, shown);
  assert.deepEqual(Object.keys(body), ['error', 'error_description'], shown);
  assert.equal(body.error, error, shown);
  assertDescription(body.error_description, description);
  assert.match(headers['content-type'] ?? '', /^application\/json\b/);
  assertServerSideOnly(answer);
}

/** A sentence, in the characters that RFC 6749 allows. */
function assertDescription(given: string | null, description: RegExp): void {
  assert.match(given ?? '', /^[A-Z][\x20\x21\x23-\x5b\x5d-\x7e]*\.$/);
  assert.match(given ?? '', description);
}

export function assertServerSideOnly({ headers }: Answer): void {
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'set-cookie'),
    [],
  );
}

/** A page for the person, with no link or redirect to anywhere. */
export function assertPage(answer: Answer, text: RegExp): void {
  const { status, headers, body } = answer;
  assert.equal(status, 400, body);
  assert.equal(headers.location, undefined);
  assert.equal(headers['set-cookie'], undefined);
  assert.match(String(headers['content-type']), /^text\/html/);
  assert.match(String(headers['content-security-policy']), /default-src 'none'/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(body, text);
}

/** A redirect to the page where the advisor decides; returns its path. */
export function assertAsked({ status, headers, body }: Answer): string {
  const { location = '' } = headers;
  assert.equal(status, 303, body);
  assert.match(location, /^\/oauth\/interaction\/[\w-]{43}$/);
  return location;
}

export function claimsOf(jwt: string) {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

export async function untilEnded(client: Client, accessToken: string): Promise<void> {
  await until('the access token is refused', async () => (await client.call(accessToken)).status === 401);
}

export async function assertStillWorks(client: Client, tokens: Tokens): Promise<void> {
  assert.equal((await client.call(tokens.access_token)).status, 200);
  granted(await client.refresh(tokens.refresh_token));
}

export function refreshForm(client: Client, token = 'nonsense'): Record<string, string> {
  const { clientId: client_id, clientSecret: client_secret } = client;
  return { grant_type: 'refresh_token', refresh_token: token, client_id, client_secret };
}
