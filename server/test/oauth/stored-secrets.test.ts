import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import {
  forgetExpiredTokens,
  inspectReuse,
  keepResponse,
  saveOAuthToken,
} from '../../src/domain/access/oauth-tokens.ts';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
import { makeClient, signedIn, type Tokens } from '../support/oauth-client.ts';
import { granted } from './setup.ts';
import { assertInvalidGrant, makeTwoNodes } from './two-nodes.ts';

const { world, crm, begin, pass, unusedRefreshTokens, close } = await makeTwoNodes();
after(close);

suite('the database', () => {
  test('holds no secret from a whole flow: no code, token, cookie or request id', async () => {
    const secrets = new Map<string, string>();
    const dumps: string[] = [];
    const client = await makeClient(world);
    const visitor = await signedIn(world, world.bob);
    keepCookies('/');
    const state = 'state-of-the-client';

    const { location: path = '' } = await visitor.get(client.authorizeUrl({ state }));
    keep('the request’s id', path.split('/').at(-1));
    keepCookies(path);
    await dump();
    const decided = await visitor.submit(await visitor.get(path), path, { decision: 'allow' });
    keepCookies(decided.location ?? '');
    await dump();
    const back = new URL((await visitor.get(decided.location ?? '')).location ?? '');
    const givenCode = back.searchParams.get('code') ?? '';
    keep('the code', givenCode);
    await dump();
    let tokens = granted(await client.redeem(givenCode));
    keepTokens('first', tokens);
    await dump();
    for (const which of ['second', 'third']) {
      tokens = granted(await client.refresh(tokens.refresh_token));
      keepTokens(which, tokens);
      await dump();
    }
    keep('the client secret', client.clientSecret);
    keep('the API key', client.apiKey);
    keep('the verifier', client.verifier);
    await visitor.get(client.authorizeUrl({ state }));
    const { clientId: client_id, clientSecret: client_secret } = client;
    await client.post('/oauth/revoke', { client_id, client_secret, token: tokens.access_token });
    await dump();

    assert.ok(secrets.size >= 15, `${[...secrets.keys()]}`);
    const all = dumps.join('\n');
    assert.match(all, /state-of-the-client/, 'the rows of waiting requests are there');
    assert.match(all, new RegExp(client.clientId), 'and those of applications');
    for (const [what, secret] of secrets)
      for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
        assert.ok(!all.includes(form), `${what} is in the database`);

    function keep(what: string, secret: string | undefined): void {
      assert.ok(secret && secret.length >= 20, what);
      secrets.set(what, secret);
    }

    function keepCookies(at: string): void {
      for (const pair of visitor.cookies.sentTo(at).split('; ')) {
        const [name, value] = pair.split('=');
        keep(`the cookie ${name} at ${at}`, value);
      }
    }

    function keepTokens(which: string, { access_token, refresh_token, id_token }: Tokens): void {
      for (const [name, token] of Object.entries({ access_token, refresh_token, id_token }))
        keep(`${which} ${name}`, token);
    }

    async function dump(): Promise<void> {
      const tables = await world.database.asOwner<{ name: string }>(
        `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
      );
      for (const { name } of tables) {
        const rows = await world.database.asOwner<{ text: string }>(
          `select row_to_json(t)::text as text from ${name} t`,
        );
        dumps.push(...rows.map(({ text }) => text));
      }
    }
  });

  test('keeps a response for 30 seconds, and the use of its token longer', async () => {
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    const answer = async () => {
      const [row] = await world.database.asOwner<{ kept: boolean; used: boolean }>(
        'select response is not null as kept, date_time_used is not null as used from oauth_tokens where token_hash = $1',
        [hashSecret(first.refresh_token)],
      );
      return row;
    };
    await forgetExpiredTokens(world.deps);
    assert.deepEqual(await answer(), { kept: true, used: true });
    await pass(31);
    await forgetExpiredTokens(world.deps);
    assert.deepEqual(await answer(), { kept: false, used: true });
    assertInvalidGrant(await crm.refresh(first.refresh_token));
    assert.equal(await unusedRefreshTokens(crm), 0, 'so a reuse is still detected');
  });

  test('encrypts equal answers differently', async () => {
    await begin();
    const [grant] = await world.database.asOwner<{ grantId: string }>(
      `select grant_id as "grantId" from grants where kind = 'authorized' limit 1`,
    );
    const payload = {};
    const expires = new Date(Date.now() + 60_000);
    for (const value of ['one', 'two', 'three'])
      await saveOAuthToken(world.deps, {
        kind: 'RefreshToken',
        value,
        grantId: grant?.grantId ?? '',
        payload,
        expires,
      });
    await world.database.asOwner('update oauth_tokens set date_time_used = now() where token_hash = any($1)', [
      [hashSecret('one'), hashSecret('two')],
    ]);
    const response = { access_token: 'same' };
    for (const token of ['one', 'two']) await keepResponse(world.deps, { token, successor: 'three', response });
    const rows = await world.database.asOwner<{ response: Buffer }>(
      'select response from oauth_tokens where token_hash = any($1)',
      [[hashSecret('one'), hashSecret('two')]],
    );
    assert.notDeepEqual(rows[0]?.response, rows[1]?.response);
    const now = { arrived: new Date(), meanwhile: false };
    assert.deepEqual(await inspectReuse(world.deps, { kind: 'RefreshToken', value: 'one', ...now }), { response });
    assert.deepEqual(await inspectReuse(world.deps, { kind: 'AuthorizationCode', value: 'one', ...now }), {
      ended: 'nothing',
    });
    assert.deepEqual(await inspectReuse(world.deps, { kind: 'RefreshToken', value: 'nobody', ...now }), {
      ended: 'nothing',
    });
  });
});
