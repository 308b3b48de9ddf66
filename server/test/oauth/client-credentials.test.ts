import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { provision, unprovision } from '../../src/domain/access/grants.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { type Client, makeClient } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/waiting.ts';
import type { Answer, Person } from '../support/world.ts';
import { assertError, assertServerSideOnly, assertStillWorks, claimsOf, granted, makeOAuthWorld } from './setup.ts';

const { world, other, tokensFor, post, verified } = await makeOAuthWorld();
after(() => world.close());
const { ann, bob } = world;
const { publicUrl } = world.config;

suite('client credentials', () => {
  const textScopes = 'text.messaging.read text.messaging.write';
  let texting: Client;
  before(async () => {
    texting = await makeClient(world, { name: 'Texting' });
    for (const { advisor } of [ann, bob]) await provision(world.deps, advisor.advisorId, texting.clientId);
  });

  function ask(
    client: Client,
    changes: { advisor_id?: string; scope?: string; resource?: string } = {},
  ): Promise<Answer> {
    return client.token({ grant_type: 'client_credentials', ...changes });
  }

  const idOf = ({ advisor }: Person) => String(advisor.advisorId);

  test('give all text scopes by default, and no refresh token', async () => {
    const answer = await ask(texting, { advisor_id: idOf(ann) });
    const body = granted(answer);
    assert.deepEqual(Object.keys(body).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type']);
    assert.equal(body.scope, textScopes);
    assert.equal(body.token_type, 'Bearer');
    assert.ok(body.expires_in <= 900);
    assertServerSideOnly(answer);
  });

  test('give an access token like any other, for that advisor', async () => {
    const { access_token } = granted(await ask(texting, { advisor_id: idOf(bob) }));
    assert.equal(decodeProtectedHeader(access_token).typ, 'at+jwt');
    const { payload } = await verified(access_token);
    assert.equal(payload.advisor_id, bob.advisor.advisorId);
    assert.equal(payload.client_id, texting.clientId);
    assert.equal(payload.iss, publicUrl);
    assert.equal(payload.aud, `${publicUrl}/v1`);
    assert.equal(payload.scope, textScopes);
    assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 900);
  });

  test('give some of the text scopes on request', async () => {
    const { access_token, scope } = granted(
      await ask(texting, { advisor_id: idOf(ann), scope: 'text.messaging.read' }),
    );
    assert.equal(scope, 'text.messaging.read');
    assert.equal(claimsOf(access_token).scope, 'text.messaging.read');
  });

  for (const scope of ['core.contacts.read', 'openid', 'offline_access', 'nonsense', `${textScopes} openid`])
    test(`with the scope ${scope} are refused as invalid_scope`, async () => {
      assertError(await ask(texting, { advisor_id: idOf(ann), scope }), 400, 'invalid_scope', /text scopes only/);
    });

  test('with a text scope that the application lacks are refused; its own are the default', async () => {
    const client = await makeClient(world, { scopes: ['text.messaging.read'], redirectUris: [] });
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    assertError(await ask(client, { scope: 'text.messaging.write' }), 400, 'invalid_scope');
    assert.equal(granted(await ask(client)).scope, 'text.messaging.read');
  });

  test('need advisor_id if several advisors are provisioned', async () => {
    for (const changes of [{}, { advisor_id: '' }])
      assertError(await ask(texting, changes), 400, 'invalid_request', /advisor_id is missing.*several/);
  });

  test('don’t need advisor_id if exactly one advisor is provisioned', async () => {
    const client = await makeClient(world);
    await provision(world.deps, bob.advisor.advisorId, client.clientId);
    for (const changes of [{}, { advisor_id: idOf(bob) }])
      assert.equal(claimsOf(granted(await ask(client, changes)).access_token).advisor_id, bob.advisor.advisorId);
  });

  test('are refused if nobody is provisioned, even if the advisor has authorized the application', async () => {
    const client = await makeClient(world);
    await tokensFor(client);
    assertError(await ask(client), 400, 'invalid_grant', /not provisioned for any advisor/);
    assertError(await ask(client, { advisor_id: idOf(ann) }), 400, 'invalid_grant', /not provisioned/);
  });

  test('for an advisor who doesn’t exist get the same answer as for one who is not provisioned', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const unprovisioned = await ask(client, { advisor_id: idOf(bob) });
    const unknown = await ask(client, { advisor_id: '999999' });
    for (const answer of [unprovisioned, unknown]) assertError(answer, 400, 'invalid_grant', /not provisioned/);
    assert.equal(
      unprovisioned.body.error_description.replace(idOf(bob), 'N'),
      unknown.body.error_description.replace('999999', 'N'),
    );
  });

  for (const id of ['abc', '-1', '1.5', '1e3', '0x1', ' 1', '9'.repeat(16), '9'.repeat(400), '1,2', '١', '\0'])
    test(`with advisor_id ${JSON.stringify(id.slice(0, 20))} are refused as malformed`, async () => {
      assertError(
        await ask(texting, { advisor_id: id }),
        400,
        'invalid_request',
        /advisor_id must be one whole number/,
      );
    });

  test('with a repeated advisor_id are refused, even if both are the same', async () => {
    const form = { client_id: texting.clientId, client_secret: texting.clientSecret, grant_type: 'client_credentials' };
    const payload = `${new URLSearchParams(form)}&advisor_id=${idOf(ann)}&advisor_id=${idOf(ann)}`;
    assertError(await post(payload), 400, 'invalid_request', /advisor_id/);
  });

  test('for a disabled advisor are refused', async () => {
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    try {
      assertError(await ask(texting, { advisor_id: idOf(bob) }), 400, 'invalid_grant');
    } finally {
      await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    }
  });

  test('work on the API within their scopes', async () => {
    const { access_token } = granted(await ask(texting, { advisor_id: idOf(ann) }));
    assertProblem(await texting.call(access_token), 'forbidden', /core\.contacts\.read/);
    assert.equal((await texting.call(access_token, '/core/enumerations')).status, 200);
    assertProblem(await other.call(access_token, '/core/enumerations'), 'unauthorized');
  });

  test('end within a second when the advisor is unprovisioned, and the other advisor’s keep working', async () => {
    const client = await makeClient(world);
    for (const { advisor } of [ann, bob]) await provision(world.deps, advisor.advisorId, client.clientId);
    const [anns, bobs] = [
      granted(await ask(client, { advisor_id: idOf(ann) })).access_token,
      granted(await ask(client, { advisor_id: idOf(bob) })).access_token,
    ];
    const status = async (token: string) => (await client.call(token, '/core/enumerations')).status;
    assert.deepEqual([await status(anns), await status(bobs)], [200, 200]);
    await unprovision(world.deps, ann.advisor.advisorId, client.clientId);
    await until('the token is refused', async () => (await status(anns)) === 401);
    assert.equal(await status(bobs), 200);
    assertError(await ask(client, { advisor_id: idOf(ann) }), 400, 'invalid_grant');
  });

  test('leave the advisor’s own grant alone when they are unprovisioned', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const tokens = await tokensFor(client);
    await unprovision(world.deps, ann.advisor.advisorId, client.clientId);
    await assertStillWorks(client, tokens);
  });

  test('for another resource are refused', async () => {
    const answer = await ask(texting, { advisor_id: idOf(ann), resource: 'https://evil.example/' });
    assertError(answer, 400, 'invalid_target');
  });
});
