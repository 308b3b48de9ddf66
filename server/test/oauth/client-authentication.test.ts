import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { rotateSecret } from '../../src/domain/access/applications.ts';
import { provision } from '../../src/domain/access/grants.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { makeClient } from '../support/oauth-client.ts';
import { exchange, listen } from '../support/sockets.ts';
import { type Answer, inject } from '../support/world.ts';
import { assertError, formType, granted, makeOAuthWorld, refreshForm, untilEnded } from './setup.ts';

const { world, crm, other, codeFor, tokensFor, ask, post } = await makeOAuthWorld();
after(() => world.close());

suite('client authentication in the form', () => {
  test('a wrong secret is 401', async () => {
    for (const client_secret of [makeSecret('clientSecret', 'sandbox'), other.clientSecret, 'x', '\0', crm.clientId])
      assertError(await crm.token({ ...refreshForm(crm), client_secret }), 401, 'invalid_client', /secret is wrong/);
    const almost = crm.clientSecret.toUpperCase();
    assertError(await crm.token({ ...refreshForm(crm), client_secret: almost }), 401, 'invalid_client');
  });

  test('an unknown client is 401, with any client_id', async () => {
    for (const client_id of [makeSecret('clientId', 'sandbox'), 'nobody', '\0', '__proto__', 'a'.repeat(10_000)])
      assertError(await crm.token({ ...refreshForm(crm), client_id }), 401, 'invalid_client', /unknown or disabled/);
  });

  test('a missing secret is 401, and so is a missing client', async () => {
    assertError(await crm.token({ ...refreshForm(crm), client_secret: '' }), 401, 'invalid_client', /client_secret/);
    const { client_secret: _left, ...withoutSecret } = refreshForm(crm);
    const { client_id: _out, ...withoutId } = refreshForm(crm);
    assertError(await crm.post('/oauth/token', withoutSecret), 401, 'invalid_client', /client_secret/);
    assertError(await crm.post('/oauth/token', withoutId), 401, 'invalid_client', /client_id/);
    assertError(await crm.post('/oauth/token', { grant_type: 'refresh_token' }), 401, 'invalid_client');
  });

  test('a secret in the query is ignored', async () => {
    const { client_secret, ...form } = refreshForm(crm, (await tokensFor(crm)).refresh_token);
    const answer = await post(String(new URLSearchParams(form)), {}, `/oauth/token?client_secret=${client_secret}`);
    assertError(answer, 401, 'invalid_client', /in the form/);
    const all = await post('', {}, `/oauth/token?${new URLSearchParams(refreshForm(crm))}`);
    assert.ok(all.status === 400 || all.status === 401, String(all.status));
  });

  test('a production secret is 401 and the error says so, and so is a production client id', async () => {
    const secret = { client_secret: makeSecret('clientSecret', 'production') };
    const id = { client_id: makeSecret('clientId', 'production') };
    for (const [form, name] of [
      [secret, 'client_secret'],
      [id, 'client_id'],
    ] as const)
      assertError(
        await crm.token({ ...refreshForm(crm), ...form }),
        401,
        'invalid_client',
        new RegExp(`The ${name} is for a different environment: this is the sandbox`),
      );
  });

  test('after a rotation the old secret is 401 and the new one works', async () => {
    const client = await makeClient(world);
    const { refresh_token } = await tokensFor(client);
    const client_secret = await rotateSecret(world.deps, client.clientId);
    assertError(await client.refresh(refresh_token), 401, 'invalid_client');
    granted(await client.refresh(refresh_token, { client_secret }));
  });

  test('a wrong secret spends nothing: code and refresh token still work', async () => {
    const code = await codeFor(crm);
    assertError(await crm.redeem(code, { client_secret: 'x' }), 401, 'invalid_client');
    const { refresh_token } = granted(await crm.redeem(code));
    assertError(await crm.refresh(refresh_token, { client_secret: 'x' }), 401, 'invalid_client');
    granted(await crm.refresh(refresh_token));
  });

  test('many wrong secrets are 429 with Retry-After, but the right one still works', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    const wrong = () => client.token({ ...refreshForm(client), client_secret: 'x' });
    let answer = await wrong();
    for (let attempt = 1; attempt < 300 && answer.status === 401; attempt++) answer = await wrong();
    assertError(answer, 429, 'temporarily_unavailable', /Too many/);
    assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    granted(await client.refresh(tokens.refresh_token));
    assertError(await other.token({ ...refreshForm(other), client_secret: 'x' }), 401, 'invalid_client');
  });
});

suite('client authentication by HTTP Basic', () => {
  test('works, with the same client_id in the form or without it', async () => {
    let { refresh_token } = await tokensFor(crm);
    const forms: Record<string, string>[] = [{}, { client_id: crm.clientId }, { client_secret: '' }];
    for (const more of forms)
      ({ refresh_token } = granted(await refreshByBasic(basic(crm), { refresh_token, ...more })));
    granted(await crm.refresh(refresh_token));
  });

  test('decodes the id and the secret, and takes the scheme in any case', async () => {
    let { refresh_token } = await tokensFor(crm);
    const hex = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');
    const encoded = `${hex(crm.clientId)}:${hex(crm.clientSecret)}`;
    for (const authorization of [`Basic ${btoa(encoded)}`, `basic ${btoa(encoded)}`])
      ({ refresh_token } = granted(await refreshByBasic(authorization, { refresh_token })));
  });

  test('beside a secret in the form is 400, even if both are right, and spends nothing', async () => {
    const { refresh_token } = await tokensFor(crm);
    for (const authorization of [basic(crm), basic(other), 'Bearer x']) {
      const answer = await refreshByBasic(authorization, refreshForm(crm, refresh_token));
      assertError(answer, 400, 'invalid_request', /client_secret once/);
    }
    const mismatch = await refreshByBasic(basic(crm), { refresh_token, client_id: other.clientId });
    assertError(mismatch, 400, 'invalid_request', /not the one in the Authorization header/);
    granted(await crm.refresh(refresh_token));
  });

  test('with a wrong client or secret is 401 and names the scheme', async () => {
    const { clientId, clientSecret } = crm;
    const wrong: [{ clientId: string; clientSecret: string }, RegExp][] = [
      [{ clientId, clientSecret: other.clientSecret }, /secret is wrong/],
      [{ clientId, clientSecret: 'x' }, /secret is wrong/],
      [{ clientId: 'nobody', clientSecret }, /unknown or disabled/],
      [{ clientId, clientSecret: makeSecret('clientSecret', 'production') }, /client_secret is for a different/],
      [{ clientId: makeSecret('clientId', 'production'), clientSecret }, /client_id is for a different environment/],
    ];
    for (const [client, reason] of wrong) assertChallenged(await refreshByBasic(basic(client)), reason);
  });

  test('that can’t be read is 401 and says what is needed', async () => {
    const headers = [
      'Basic',
      'Basic !',
      `Basic ${btoa(crm.clientId)}`,
      `Basic ${btoa(`${crm.clientId}:`)}`,
      `Basic ${btoa(`${crm.clientId}:%zz`)}`,
      `Basic ${btoa(`${crm.clientId}:%00`)}`,
      `Digest ${btoa('x:x')}`,
      `Bearer ${(await tokensFor(crm)).access_token}`,
    ];
    for (const authorization of headers) assertChallenged(await refreshByBasic(authorization), /must be Basic/);
  });

  test('twice is 401', async () => {
    const port = await listen(world.app);
    const lines = ['POST /oauth/token HTTP/1.1', `host: 127.0.0.1:${port}`, 'content-length: 0', 'connection: close'];
    const head = [...lines, `authorization: ${basic(crm)}`, `authorization: ${basic(other)}`];
    assertChallenged(await exchange(port, `${head.join('\r\n')}\r\n\r\n`), /there twice/);
  });

  test('gives client credentials, and works at the revocation endpoint', async () => {
    await provision(world.deps, world.ann.advisor.advisorId, crm.clientId);
    const authorization = basic(crm);
    const answer = await crm.post('/oauth/token', { grant_type: 'client_credentials' }, { authorization });
    const { access_token: token } = granted(answer);
    assert.equal((await crm.post('/oauth/revoke', { token }, { authorization })).status, 200);
    await untilEnded(crm, token);
    assertChallenged(await crm.post('/oauth/revoke', { token }, { authorization: basic(other, 'x') }), /is wrong/);
  });

  test('many wrong secrets are 429 with Retry-After, but the right one still works', async () => {
    const client = await makeClient(world);
    const { refresh_token } = await tokensFor(client);
    let answer = await refreshByBasic(basic(client, 'x'));
    for (let attempt = 1; attempt < 300 && answer.status === 401; attempt++)
      answer = await refreshByBasic(basic(client, 'x'));
    assertError(answer, 429, 'temporarily_unavailable', /Too many/);
    assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    assert.equal(answer.headers['www-authenticate'], undefined);
    granted(await refreshByBasic(basic(client), { refresh_token }));
  });

  test('is in both discovery documents, for both endpoints', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const { body } = await ask(path);
      for (const endpoint of ['token', 'revocation'])
        assert.deepEqual(
          body[`${endpoint}_endpoint_auth_methods_supported`],
          ['client_secret_basic', 'client_secret_post'],
          path,
        );
    }
  });

  function basic({ clientId, clientSecret }: { clientId: string; clientSecret: string }, secret = clientSecret) {
    return `Basic ${btoa(`${clientId}:${secret}`)}`;
  }

  function refreshByBasic(authorization: string, form: Record<string, string> = {}): Promise<Answer> {
    return crm.post(
      '/oauth/token',
      { grant_type: 'refresh_token', refresh_token: 'nonsense', ...form },
      { authorization },
    );
  }

  function assertChallenged(answer: Answer, reason: RegExp): void {
    assertError(answer, 401, 'invalid_client', reason);
    const { error, error_description } = answer.body;
    const challenge = `Basic realm="Assent", error="${error}", error_description="${error_description}"`;
    assert.equal(answer.headers['www-authenticate'], challenge);
  }
});

test('attempts at many clients from one address are throttled, in a single bucket', async () => {
  const from = (clientId: string) =>
    inject(world.app, {
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': formType },
      remoteAddress: '203.0.113.99',
      payload: new URLSearchParams({
        client_id: clientId,
        client_secret: 'x',
        grant_type: 'client_credentials',
      }).toString(),
    });
  const buckets = async () => (await world.database.asOwner('select from throttles')).length;
  const before = await buckets();
  const statuses = new Set<number>();
  // More than the bucket holds, because it refills while a slow machine tries.
  for (let count = 0; count < 600 && !statuses.has(429); count++)
    statuses.add((await from(makeSecret('clientId', 'sandbox'))).status);
  assert.deepEqual([...statuses], [401, 429]);
  assert.equal((await buckets()) - before, 1);
});
