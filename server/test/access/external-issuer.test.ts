import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { exportSPKI, importJWK, type JWTHeaderParameters, type JWTPayload } from 'jose';
import type { App } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { issueApiKey, unlimited } from '../../src/domain/access/api-keys.ts';
import { addApplication, setApplication } from '../../src/domain/access/applications.ts';
import {
  audience,
  json,
  type ProviderKey,
  type SmallProvider,
  settingsFor,
  signed,
  startSmallProvider,
  startStandardProvider,
} from '../support/identity-provider.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const url = '/v1/core/contact/contacts';

suite('with the operator’s own identity provider', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (app: App, token: string, apiKey = world.apiKey): Promise<Answer> =>
    inject(app, { method: 'GET', url, headers: credentials(token, apiKey) });

  test('a standard provider’s tokens are accepted, with the scopes they carry', async (t) => {
    const crm = { id: 'standard-crm', secret: 'a secret that is long enough' };
    const { application } = await addApplication(world.deps, {
      name: 'Standard CRM',
      redirectUris: [],
      externalClientId: crm.id,
    });
    const { apiKey } = await issueApiKey(world.deps, application.clientId, unlimited);
    const provider = await startStandardProvider({
      audience,
      clients: [crm],
      advisorOf: () => world.ann.advisor.advisorId,
    });
    const app = await anotherNode(world, { config: settingsFor(world.config, provider.issuer) });
    t.after(async () => {
      await app.close();
      await provider.close();
    });
    const created = await inject(app, {
      method: 'POST',
      url,
      headers: credentials(await provider.token(crm), apiKey),
      payload: { firstName: 'Pia', lastName: 'Standard' },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    assert.equal((await world.ann.call('GET', `/core/contact/contacts/${created.body.id}`)).status, 200, 'it is Ann’s');

    const reader = await provider.token(crm, 'core.contacts.read');
    assert.equal((await get(app, reader, apiKey)).status, 200);
    const refused = await inject(app, {
      method: 'POST',
      url,
      headers: credentials(reader, apiKey),
      payload: { firstName: 'Pia', lastName: 'Standard' },
    });
    assertProblem(refused, 'forbidden', /core\.contacts\.write/);
  });

  suite('a token', () => {
    let provider: SmallProvider;
    let key: ProviderKey;
    let others: ProviderKey[];
    let app: App;
    before(async () => {
      provider = await startSmallProvider();
      key = await provider.addKey();
      others = [];
      for (const alg of ['RS256', 'PS512', 'ES256', 'ES384', 'EdDSA']) others.push(await provider.addKey(alg));
      app = await anotherNode(world, { config: settingsFor(world.config, provider.issuer) });
    });
    after(async () => {
      await app.close();
      await provider.close();
    });

    const right = () => ({ client_id: world.clientId, advisor_id: world.ann.advisor.advisorId });
    const token = (claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, by = key) =>
      signed(provider, by, { ...right(), ...claims }, header);
    const answer = async (claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, by = key) =>
      get(app, await token(claims, header, by));

    test('that is valid is accepted; one of ours no longer is', async () => {
      assert.equal((await answer()).status, 200);
      assertProblem(await get(app, world.ann.token), 'unauthorized', /not valid/);
    });

    test('may have any of the access token types, or none', async () => {
      for (const typ of ['at+jwt', 'application/at+jwt', 'JWT', 'jwt', undefined])
        assert.equal((await answer({}, { typ })).status, 200, String(typ));
      for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', ''])
        assertProblem(await answer({}, { typ }), 'unauthorized', /not valid/);
    });

    test('may be signed by any asymmetric algorithm', async () => {
      for (const by of others) assert.equal((await answer({}, {}, by)).status, 200, by.alg);
    });

    test('that doesn’t name a key is tried with each that could have signed it', async () => {
      const unnamed = { kid: undefined };
      for (const by of [key, ...others]) assert.equal((await answer({}, unnamed, by)).status, 200, by.alg);
      const stranger = await provider.addKey();
      provider.withdraw(stranger);
      assertProblem(await answer({}, unnamed, stranger), 'unauthorized', /not valid/);
    });

    test('from a different issuer or for a different audience is refused', async () => {
      for (const claims of [
        { iss: `${provider.issuer}/` },
        { iss: 'https://other.example' },
        { iss: undefined },
        { aud: 'https://other.example' },
        { aud: `${audience}/` },
        { aud: [] },
        { aud: undefined },
      ])
        assertProblem(await answer(claims), 'unauthorized', /different server/);
      assert.equal((await answer({ aud: ['https://other.example', audience] })).status, 200);
    });

    test('that has expired, is not yet valid or never expires is refused', async () => {
      const now = Math.floor(Date.now() / 1000);
      assertProblem(await answer({ exp: now - 1 }), 'unauthorized', /expired/);
      assertProblem(await answer({ nbf: now + 60 }), 'unauthorized', /not valid/);
      assertProblem(await answer({ exp: undefined }), 'unauthorized', /not valid/);
    });

    test('expires even if it has been seen before', async (t) => {
      const short = await token();
      assert.equal((await get(app, short)).status, 200);
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      t.mock.timers.tick(61_000);
      assertProblem(await get(app, short), 'unauthorized', /expired/);
    });

    test('signed with the public key as a shared secret is refused', async () => {
      const publicKey = (await importJWK(key.publicJwk, key.alg, { extractable: true })) as CryptoKey;
      for (const secret of [await exportSPKI(publicKey), JSON.stringify(key.publicJwk)]) {
        const [, payload = ''] = (await token()).split('.');
        const head = encoded({ alg: 'HS256', typ: 'at+jwt', kid: key.publicJwk.kid });
        const mac = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
        assertProblem(await get(app, `${head}.${payload}.${mac}`), 'unauthorized', /not valid/);
      }
    });

    test('that is unsigned or was tampered with is refused', async () => {
      const [header, payload = '', signature = ''] = (await token()).split('.');
      const bob = encoded({ ...JSON.parse(atob(payload)), advisor_id: world.bob.advisor.advisorId });
      for (const bad of [
        `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
        `${encoded({ alg: 'None' })}.${payload}.`,
        `${header}.${payload}.`,
        `${header}.${bob}.${signature}`,
        'opaque-token',
        'a.b.c',
      ])
        assertProblem(await get(app, bad), 'unauthorized');
    });

    test('that brings its own key is refused: only published keys count', async () => {
      const own = await provider.addKey();
      provider.withdraw(own);
      assertProblem(await answer({}, { kid: undefined, jwk: own.publicJwk }, own), 'unauthorized', /not valid/);
      const jku = `${provider.issuer}/others`;
      provider.answers.set(
        '/others',
        json(() => ({ keys: [own.publicJwk] })),
      );
      assertProblem(await answer({}, { jku }, own), 'unauthorized', /not valid/);
      assert.ok(!provider.asked.includes('/others'));
    });

    test('names the advisor by id, as a number or as digits, or by email', async () => {
      const { advisorId, email } = world.ann.advisor;
      for (const advisor_id of [advisorId, String(advisorId), email, email.toUpperCase()])
        assert.equal((await answer({ advisor_id })).status, 200, String(advisor_id));
    });

    test('for an advisor who doesn’t exist is refused', async () => {
      for (const advisor_id of [9_999_999, '9999999', 'nobody@test.example'])
        assertProblem(await answer({ advisor_id }), 'unauthorized', /advisor who is unknown here/);
      const { advisorId, email } = world.ann.advisor;
      const odd = [`0${advisorId}`, `${email}\0`, email.replace('ann', 'a\u{1d427}n'), '1e3', -1];
      for (const advisor_id of [...odd, undefined, null, '', 1.5, true, [1], { id: 1 }])
        assertProblem(await answer({ advisor_id }), 'unauthorized', /claim advisor_id doesn’t name an advisor/);
    });

    test('for an unknown application, or a different one than the key’s, is refused', async () => {
      assertProblem(await answer({ client_id: 'nobody' }), 'unauthorized', /application that is unknown here/);
      assertProblem(await answer({ client_id: `${world.clientId}\0` }), 'unauthorized', /application/);
      for (const client_id of [undefined, null, '', 7, ['x']])
        assertProblem(await answer({ client_id }), 'unauthorized', /claim client_id doesn’t name an application/);
      const externalClientId = 'another-crm';
      await addApplication(world.deps, { name: 'Another CRM', redirectUris: [], externalClientId });
      assertProblem(await answer({ client_id: externalClientId }), 'unauthorized', /belong to different applications/);
    });

    test('without scopes is valid, but allows nothing', async () => {
      for (const scope of [undefined, '', 7, {}, [7]])
        assertProblem(await answer({ scope }), 'forbidden', /core\.contacts\.read/);
    });
  });

  suite('the claims', () => {
    let provider: SmallProvider;
    let key: ProviderKey;
    before(async () => {
      provider = await startSmallProvider();
      key = await provider.addKey();
    });
    after(() => provider.close());

    async function status(settings: Partial<Config>, claims: JWTPayload): Promise<number> {
      const app = await anotherNode(world, { config: settingsFor(world.config, provider.issuer, settings) });
      const { status } = await get(app, await signed(provider, key, claims));
      await app.close();
      return status;
    }

    test('have the names that the operator configures: scp as a list, azp, a URL, a name with dots', async () => {
      const advisor = world.ann.advisor.advisorId;
      const client = world.clientId;
      const scp = ['core.contacts.read'];
      const settings = { oauthScopeClaim: 'scp', oauthApplicationClaim: 'azp' };
      assert.equal(await status(settings, { azp: client, advisor_id: advisor, scp, scope: undefined }), 200);
      assert.equal(
        await status(settings, { azp: client, advisor_id: advisor, scp: [] }),
        403,
        'scope is another claim',
      );
      assert.equal(await status(settings, { client_id: client, advisor_id: advisor, scp }), 401);
      for (const name of ['https://example.com/advisor', 'wealth.advisor']) {
        assert.equal(await status({ oauthAdvisorClaim: name }, { client_id: client, [name]: advisor }), 200, name);
        const nested = { wealth: { advisor }, 'https://example': { 'com/advisor': advisor } };
        assert.equal(await status({ oauthAdvisorClaim: name }, { client_id: client, ...nested }), 401, name);
      }
      assert.equal(await status({ oauthAdvisorClaim: 'constructor' }, { client_id: client }), 401);
    });

    test('an email counts unless the provider says that it isn’t verified', async () => {
      const claims = { client_id: world.clientId, email: world.ann.advisor.email };
      const settings = { oauthAdvisorClaim: 'email' };
      assert.equal(await status(settings, claims), 200);
      assert.equal(await status(settings, { ...claims, email_verified: true }), 200);
      assert.equal(await status(settings, { ...claims, email_verified: false }), 401);
      for (const email_verified of ['false', 'False', 0, null, 'no', []])
        assert.equal(await status(settings, { ...claims, email_verified }), 401, String(email_verified));
      const { advisorId } = world.ann.advisor;
      assert.equal(await status(settings, { ...claims, email: String(advisorId) }), 401, 'an id is not an email');
    });

    test('an application keeps its own client id when its external one is removed', async () => {
      const claims = { advisor_id: world.ann.advisor.advisorId };
      await setApplication(world.deps, world.clientId, { externalClientId: 'test-crm' });
      assert.equal(await status({}, { ...claims, client_id: 'test-crm' }), 200);
      await setApplication(world.deps, world.clientId, { externalClientId: '' });
      assert.equal(await status({}, { ...claims, client_id: 'test-crm' }), 401);
      assert.equal(await status({}, { ...claims, client_id: world.clientId }), 200);
    });
  });
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
