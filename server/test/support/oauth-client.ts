import assert from 'node:assert/strict';
import { argon2Sync, createHash, randomBytes } from 'node:crypto';
import { issueApiKey, unlimited } from '../../src/domain/access/api-keys.ts';
import { type ApplicationInput, addApplication } from '../../src/domain/access/applications.ts';
import { type Visit, Visitor } from './visitor.ts';
import { type Answer, inject, type Person, type World } from './world.ts';

export const redirectUri = 'https://crm.example/callback?tenant=7';
export const password = 'correct horse battery staple';

/** A partner's application with its secrets, and what it does at the authorization server. */
export type Client = {
  clientId: string;
  clientSecret: string;
  apiKey: string;
  /** The seven parameters of an authorization request, with the test's changes; undefined leaves one out. */
  authorizeUrl(changes?: Record<string, string | undefined>): string;
  verifier: string;
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  token(form: Record<string, string>): Promise<Answer>;
  redeem(code: string, changes?: Record<string, string>): Promise<Answer>;
  refresh(refreshToken: string, changes?: Record<string, string>): Promise<Answer>;
  /** Goes through the pages as that advisor, and returns where the browser is sent in the end. */
  authorize(person: Person, options?: { scope?: string; decision?: 'allow' | 'deny' }): Promise<URL>;
  /** The same in a browser where the advisor is signed in, with changed parameters. */
  authorizeIn(
    visitor: Visitor,
    changes?: Record<string, string | undefined>,
    decision?: 'allow' | 'deny',
  ): Promise<URL>;
  code(person: Person, scope?: string): Promise<string>;
  tokens(person: Person, scope?: string): Promise<Tokens>;
  /** Calls the API with an access token. */
  call(accessToken: string, path?: string): Promise<Answer>;
};
export type Tokens = {
  access_token: string;
  refresh_token: string;
  id_token: string;
  scope: string;
  expires_in: number;
  token_type: string;
};

export const allOf =
  'openid offline_access core.contacts.read core.contacts.write core.content.read text.messaging.read text.messaging.write';

export async function makeClient(world: World, input: Partial<ApplicationInput> = {}): Promise<Client> {
  const wanted = { name: 'Partner CRM', redirectUris: [redirectUri], ...input };
  const { application, clientSecret } = await addApplication(world.deps, wanted);
  const { clientId } = application;
  const { apiKey } = await issueApiKey(world.deps, clientId, unlimited);
  const verifier = randomBytes(32).toString('base64url');

  const client: Client = {
    clientId,
    clientSecret,
    apiKey,
    verifier,
    authorizeUrl: (changes = {}) => {
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: wanted.redirectUris[0] ?? redirectUri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        state: randomBytes(16).toString('base64url'),
        scope: allOf,
        ...changes,
      };
      const given = Object.entries(parameters).filter(([, value]) => value !== undefined) as [string, string][];
      return `/oauth/authorize?${new URLSearchParams(given)}`;
    },
    post: (path, form, headers = {}) =>
      inject(world.app, {
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams(form).toString(),
      }),
    token: (form) => client.post('/oauth/token', { client_id: clientId, client_secret: clientSecret, ...form }),
    redeem: (code, changes = {}) =>
      client.token({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: wanted.redirectUris[0] ?? redirectUri,
        ...changes,
      }),
    refresh: (refreshToken, changes = {}) =>
      client.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }),
    async authorize(person, { scope = allOf, decision = 'allow' } = {}) {
      const visitor = new Visitor(world.app);
      const consent = await signInTo(world, visitor, client.authorizeUrl({ scope }), person);
      const decided = await visitor.submit(consent.page, consent.path, { decision });
      const back = await visitor.get(decided.location ?? '');
      return new URL(back.location ?? '');
    },
    async authorizeIn(visitor, changes = {}, decision = 'allow') {
      const { location: path = '' } = await visitor.get(client.authorizeUrl(changes));
      const decided = await visitor.submit(await visitor.get(path), path, { decision });
      const back = await visitor.get(decided.location ?? '');
      return new URL(back.location ?? '');
    },
    async code(person, scope) {
      return (await client.authorize(person, { scope })).searchParams.get('code') ?? '';
    },
    async tokens(person, scope) {
      return (await client.redeem(await client.code(person, scope))).body;
    },
    call: (accessToken, path = '/core/contact/contacts') =>
      inject(world.app, {
        method: 'GET',
        url: `/v1${path}`,
        headers: { authorization: `Bearer ${accessToken}`, 'x-api-key': apiKey },
      }),
  };
  return client;
}

/** Lets the advisor sign in with `password`, hashed at the least cost: a real hash takes 40 ms to make and to verify. */
export async function givePassword({ deps }: World, { advisor }: Pick<Person, 'advisor'>): Promise<void> {
  await deps.db.query('update advisors set password_hash = $2 where advisor_id = $1', [advisor.advisorId, cheapHash]);
}

const salt = randomBytes(16);
const cheapCost = { memory: 8, passes: 1, parallelism: 1 };
const tag = argon2Sync('argon2id', { message: password, nonce: salt, ...cheapCost, tagLength: 32 });
const cheapHash = `$argon2id$v=19$m=8,t=1,p=1$${[salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, '')).join('$')}`;

/** A browser in which the advisor is signed in. */
export async function signedIn(world: World, person: Person, headers?: Record<string, string>): Promise<Visitor> {
  await givePassword(world, person);
  const visitor = new Visitor(world.app, { headers });
  const { status } = await visitor.signIn(person.advisor.email, password);
  assert.equal(status, 303);
  return visitor;
}

/** From an authorization request to the page where the advisor decides. */
export async function signInTo(
  world: World,
  visitor: Visitor,
  authorizeUrl: string,
  person: Person,
): Promise<{ page: Visit; path: string }> {
  await givePassword(world, person);
  const sent = await visitor.get(authorizeUrl);
  const path = sent.location ?? '';
  const signIn = await visitor.get(path);
  await visitor.submit(signIn, '/sign-in', { email: person.advisor.email, password });
  return { page: await visitor.get(path), path };
}
