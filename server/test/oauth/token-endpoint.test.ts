import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { provision } from '../../src/domain/access/grants.ts';
import { allOf, makeClient, redirectUri } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen, openWire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld } from '../support/world.ts';
import { assertError, assertServerSideOnly, formType, granted, makeOAuthWorld, refreshForm } from './setup.ts';

const { world, crm, codeFor, tokensFor, post } = await makeOAuthWorld();
after(() => world.close());

suite('the form', () => {
  const form = () => String(new URLSearchParams(refreshForm(crm)));

  test('in JSON, multipart or text is 400', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'x', ';', 'a/b/c'])
      assertError(await post(form(), { 'content-type': type }), 400, 'invalid_request', /x-www-form-urlencoded/);
    const json = JSON.stringify(refreshForm(crm));
    assertError(await post(json, { 'content-type': 'application/json' }), 400, 'invalid_request');
  });

  test('without a content type is refused', async () => {
    const answer = await inject(world.app, { method: 'POST', url: '/oauth/token', payload: form() });
    assertError(answer, 400, 'invalid_request', /application\/x-www-form-urlencoded/);
  });

  test('is read as UTF-8 whatever charset it claims, and anything else is refused', async () => {
    for (const charset of ['utf-8', 'UTF-8', 'utf-16', 'nonsense'])
      assertError(await post(form(), { 'content-type': `${formType}; charset=${charset}` }), 400, 'invalid_grant');
    const utf16 = await post(Buffer.from(form(), 'utf16le'), { 'content-type': `${formType}; charset=utf-16le` });
    assertError(utf16, 401, 'invalid_client');
    const compressed = await post(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), { 'content-encoding': 'gzip' });
    assertError(compressed, 400, 'invalid_request', /not compressed/);
  });

  for (const name of ['client_id', 'client_secret', 'grant_type', 'refresh_token', 'scope'])
    test(`with ${name} twice is 400, even if both are the same`, async () => {
      const { refresh_token } = await tokensFor(crm);
      const given = new URLSearchParams({ ...refreshForm(crm, refresh_token), scope: allOf });
      given.append(name, given.get(name) ?? '');
      assertError(await post(String(given)), 400, 'invalid_request', new RegExp(name));
      granted(await crm.refresh(refresh_token));
    });

  for (const name of ['code', 'code_verifier', 'redirect_uri'])
    test(`with ${name} twice is 400, and the code still works`, async () => {
      const code = await codeFor(crm);
      const given = new URLSearchParams({
        ...refreshForm(crm),
        grant_type: 'authorization_code',
        code,
        code_verifier: crm.verifier,
        redirect_uri: redirectUri,
      });
      given.append(name, given.get(name) ?? '');
      assertError(await post(String(given)), 400, 'invalid_request', new RegExp(name));
      granted(await crm.redeem(code));
    });

  test('of more than 56 KiB is 400, with or without a Content-Length', async () => {
    const long = `${form()}&x=${'a'.repeat(56 * 1024)}`;
    assertError(await post(long), 400, 'invalid_request');
    const port = await listen(world.app);
    const head = `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\n`;
    const chunk = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
    assertError(await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`), 400, 'invalid_request');
    const megabytes = `${form()}&x=${'a'.repeat(5 * 1024 * 1024)}`;
    const answer = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': formType },
      body: megabytes,
    });
    assert.equal(answer.status, 400);
    await answer.text();
  });

  test('that is empty or has no known parameter is refused', async () => {
    for (const payload of ['', '&&&', '=', '%', '%ff=%ff', '__proto__=1&constructor=2', '[]=1']) {
      const answer = await post(payload);
      assert.ok(answer.status === 400 || answer.status === 401, `${payload}: ${answer.status}`);
      assert.ok(answer.body.error && answer.body.error_description);
    }
  });

  test('with hundreds of unknown parameters is still understood', async () => {
    const extra = Array.from({ length: 900 }, (_, index) => `x${index}=1`).join('&');
    const { refresh_token } = await tokensFor(crm);
    granted(await post(`${extra}&${new URLSearchParams(refreshForm(crm, refresh_token))}`));
  });

  for (const type of [
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'AUTHORIZATION_CODE',
    '__proto__',
    'toString',
  ])
    test(`with the grant type ${type} is 400`, async () => {
      const answer = await crm.token({ grant_type: type, username: 'ann@test.example', password: 'x' });
      assertError(answer, 400, 'unsupported_grant_type');
    });

  test('without a grant type is 400', async () => {
    assertError(await crm.token({ grant_type: '' }), 400, 'invalid_request', /grant_type/);
  });

  test('from an application without redirect URIs can’t use a code', async () => {
    const client = await makeClient(world, { redirectUris: [] });
    for (const answer of [await client.redeem('x'), await client.refresh('x')])
      assertError(answer, 400, 'invalid_request', /no redirect URI.*client_credentials/);
  });
});

suite('the token endpoint', () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    test(`${method} is a 404 problem`, async () => {
      for (const url of ['/oauth/token', '/oauth/revoke'])
        assertProblem(await inject(world.app, { method, url }), 'not_found');
    });

  for (const path of ['/OAuth/Token', '/oauth/token/', '/oauth//token', '/oauth/%74oken', '/token'])
    test(`${path} is a 404 problem, and spends nothing`, async () => {
      const { refresh_token } = await tokensFor(crm);
      assertProblem(await crm.post(path, refreshForm(crm, refresh_token)), 'not_found');
      granted(await crm.refresh(refresh_token));
    });

  test('is not for browsers: no answer has a CORS header, and a page from another origin gets nothing', async () => {
    const { refresh_token } = await tokensFor(crm);
    const headers = { origin: 'https://evil.example' };
    assertError(await crm.post('/oauth/token', refreshForm(crm, refresh_token), headers), 400, 'invalid_request');
    assertError(
      await crm.post('/oauth/revoke', { ...refreshForm(crm), token: refresh_token }, headers),
      400,
      'invalid_request',
    );
    const preflight = await inject(world.app, {
      method: 'OPTIONS',
      url: '/oauth/token',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    assertProblem(preflight, 'not_found');
    assertServerSideOnly(preflight);
    const answer = await crm.refresh(refresh_token);
    granted(answer);
    assertServerSideOnly(answer);
  });

  test('answers in JSON whatever the client says it accepts', async () => {
    for (const accept of ['text/html', 'application/xml', '*/*', 'nonsense'])
      assertError(await crm.post('/oauth/token', refreshForm(crm), { accept }), 400, 'invalid_grant');
  });

  test('reveals nothing about a failure on our side, and then nothing was done', async () => {
    const { refresh_token } = await tokensFor(crm);
    await world.database.asOwner('alter table oauth_tokens rename to oauth_tokens_away');
    try {
      assertError(await crm.refresh(refresh_token), 500, 'server_error', /^[^_"]+$/);
    } finally {
      await world.database.asOwner('alter table oauth_tokens_away rename to oauth_tokens');
    }
    granted(await crm.refresh(refresh_token));
  });

  test('a fault after a token was spent undoes that', async () => {
    const code = await codeFor(crm);
    const { refresh_token } = await tokensFor(crm);
    await world.database.asOwner(
      `create function no_more() returns trigger language plpgsql as $$ begin raise 'no more'; end $$;
       create trigger no_more before insert on oauth_tokens execute function no_more()`,
    );
    try {
      for (const spend of [crm.redeem(code), crm.refresh(refresh_token)]) assertError(await spend, 500, 'server_error');
    } finally {
      await world.database.asOwner('drop trigger no_more on oauth_tokens; drop function no_more()');
    }
    granted(await crm.redeem(code));
    granted(await crm.refresh(refresh_token));
  });
});

test('a client that is slow to send the form holds no database connection', async (t) => {
  const small = await makeWorld({ database: { size: 2 } });
  const client = await makeClient(small);
  const port = await listen(small.app);
  const slow = await Promise.all(Array.from({ length: 6 }, () => openWire(port)));
  t.after(async () => {
    for (const wire of slow) wire.destroy();
    await small.close();
  });
  for (const [index, wire] of slow.entries())
    wire.write(
      `POST /oauth/${index % 2 ? 'token' : 'revoke'} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: 1000\r\n\r\ngrant_type=`,
    );
  await provision(small.deps, small.ann.advisor.advisorId, client.clientId);
  granted(await client.token({ grant_type: 'client_credentials' }));
  // Its look at the database has a second, which a busy machine may need.
  await until('it is ready', async () => (await inject(small.app, { method: 'GET', url: '/readyz' })).status === 200);
});
