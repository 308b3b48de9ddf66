import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import type { App } from '../../src/app.ts';
import { disconnect } from '../../src/domain/access/grants.ts';
import { forgetExpiredTokens, judgeReuse, keepAnswer, saveOAuthToken } from '../../src/domain/access/oauth-tokens.ts';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
import { connect, type Pool, type Transaction } from '../../src/store/database/db.ts';
import { appRole } from '../../src/store/database/migrate.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { listen } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld } from '../support/world.ts';
import { type Client, makeClient, redirectUri, signedIn, type Tokens } from './client.ts';
import type { Visitor } from './visitor.ts';

const crowd = 20;
// Each of a crowd that meets at one row holds a connection while it waits.
const world = await makeWorld({ env: { DATABASE_POOL_SIZE: '60' }, database: { size: crowd + 5 } });
const { ann } = world;
let otherNode: App;
let addresses: string[];
let browser: Visitor;
let crm: Client;
const otherPool = connect({ connectionString: world.database.url, size: crowd, timeoutMs: 5_000, role: appRole });

before(async () => {
  otherNode = await anotherNode(world, { pool: otherPool });
  addresses = [world.app, otherNode].map(() => '');
  for (const [index, node] of [world.app, otherNode].entries())
    addresses[index] = `http://127.0.0.1:${await listen(node)}`;
  browser = await signedIn(world, ann);
  crm = await makeClient(world);
});
after(async () => {
  await otherNode.close();
  await otherPool.end();
  await world.close();
});

async function code(client: Client): Promise<string> {
  return (await client.authorizeIn(browser)).searchParams.get('code') ?? '';
}

/** The first tokens of a grant of its own. */
async function begin(client = crm): Promise<Tokens> {
  await disconnect(world.deps, client.clientId, ann.advisor.advisorId);
  return granted(await client.redeem(await code(client)));
}

function granted({ status, body }: Answer): Tokens {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function assertRefused({ status, body }: Answer): void {
  assert.equal(status, 400, JSON.stringify(body));
  assert.equal(body.error, 'invalid_grant');
}

/** As if that time had passed since the tokens were used. */
async function pass(seconds: number): Promise<void> {
  await world.database.asOwner('update oauth_tokens set date_time_used = date_time_used - make_interval(secs => $1)', [
    seconds,
  ]);
}

async function assertEnded(client: Client, accessTokens: string[]): Promise<void> {
  for (const node of [world.app, otherNode])
    for (const token of accessTokens)
      await until(
        'the access token is refused on every node',
        async () => (await callAt(node, client, token)) === 401,
        2_000,
      );
}

async function callAt(node: App, client: Client, token: string): Promise<number> {
  const headers = credentials(token, client.apiKey);
  return (await inject(node, { method: 'GET', url: '/v1/core/contact/contacts', headers })).status;
}

async function unusedRefreshTokens(client: Client): Promise<number> {
  const [row] = await world.database.asOwner<{ count: string }>(
    `select count(*)
     from oauth_tokens
     join grants using (grant_id)
     join applications using (application_id)
     where client_id = $1 and advisor_id = $2 and oauth_tokens.kind = 'RefreshToken' and date_time_used is null`,
    [client.clientId, ann.advisor.advisorId],
  );
  return Number(row?.count);
}

suite('a refresh token that comes again', () => {
  function bytesOf(token: string): Promise<string> {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const { clientId: client_id, clientSecret: client_secret } = crm;
    return fetch(`${addresses[1]}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, client_id, client_secret }),
    }).then((response) => response.text());
  }

  test('before its successor was used gets the same answer byte for byte, as often as it likes', async () => {
    const { refresh_token } = await begin();
    const first = await bytesOf(refresh_token);
    for (let time = 0; time < 3; time++) assert.equal(await bytesOf(refresh_token), first);
    assert.equal(await unusedRefreshTokens(crm), 1);
    const answer = JSON.parse(first);
    assert.equal((await crm.call(answer.access_token)).status, 200);
    granted(await crm.refresh(answer.refresh_token));
  });

  test('within 30 seconds still does', async () => {
    const { refresh_token } = await begin();
    const first = await bytesOf(refresh_token);
    await pass(25);
    assert.equal(await bytesOf(refresh_token), first);
  });

  test('after 30 seconds is 400, and the grant ends on every node', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    for (const { access_token } of [first, second]) assert.equal(await callAt(otherNode, crm, access_token), 200);
    await pass(31);
    assertRefused(await crm.refresh(first.refresh_token));
    assertRefused(await crm.refresh(second.refresh_token));
    await assertEnded(crm, [first.access_token, second.access_token]);
    assert.equal(await unusedRefreshTokens(crm), 0);
  });

  test('after its successor was used is 400, and the grant ends on every node', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    const third = granted(await crm.refresh(second.refresh_token));
    assertRefused(await crm.refresh(first.refresh_token));
    for (const { refresh_token } of [second, third]) assertRefused(await crm.refresh(refresh_token));
    await assertEnded(
      crm,
      [first, second, third].map(({ access_token }) => access_token),
    );
  });

  test('after the grant has ended is 400, and a new authorization is another grant', async () => {
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    assertRefused(await crm.refresh(first.refresh_token));
    const anew = granted(await crm.redeem(await code(crm)));
    assertRefused(await crm.refresh(first.refresh_token));
    granted(await crm.refresh(anew.refresh_token));
  });

  test('again and again along a chain whose answers are all lost leads to the end of the chain', async () => {
    let { refresh_token: held } = await begin();
    for (let link = 0; link < 5; link++) {
      const lost = granted(await crm.refresh(held));
      const found = granted(await crm.refresh(held));
      assert.deepEqual(found, lost);
      held = found.refresh_token;
    }
    assert.equal(await unusedRefreshTokens(crm), 1);
  });

  test('from another client is 400, and neither gets the answer nor ends the grant', async () => {
    const stranger = await makeClient(world);
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    assertRefused(await stranger.refresh(first.refresh_token));
    await pass(31);
    assertRefused(await stranger.refresh(first.refresh_token));
    granted(await crm.refresh(second.refresh_token));
  });

  test('with a wrong secret is 401, and neither gets the answer nor ends the grant', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    assert.equal((await crm.refresh(first.refresh_token, { client_secret: 'x' })).status, 401);
    await pass(31);
    assert.equal((await crm.refresh(first.refresh_token, { client_secret: 'x' })).status, 401);
    granted(await crm.refresh(second.refresh_token));
  });

  test('ends only its own grant: another advisor’s goes on', async () => {
    const bobs = await crm.tokens(world.bob);
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    await pass(31);
    assertRefused(await crm.refresh(first.refresh_token));
    granted(await crm.refresh(bobs.refresh_token));
  });
});

/** Holds everybody at that token until all have come; then lets them go at once. */
async function meetAt<Result>(token: string, come: () => Promise<Result>[]): Promise<Result[]> {
  const arrivals = await world.database.pool.transaction(async (db) => {
    await db.query('select from oauth_tokens where token_hash = $1 for update', [hashSecret(token)]);
    const all = come();
    await until('all wait at the same row', async () => {
      const rows = await world.database.asOwner(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length >= all.length;
    });
    return all;
  });
  return Promise.all(arrivals);
}

/** The crowd's requests, in turn at one node and the other, each on a socket. */
function crowdAt(client: Client, form: Record<string, string>): Promise<{ status: number; text: string }>[] {
  const { clientId: client_id, clientSecret: client_secret } = client;
  return Array.from({ length: crowd }, async (_, index) => {
    const response = await fetch(`${addresses[index % 2]}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id, client_secret, ...form }),
    });
    return { status: response.status, text: await response.text() };
  });
}

suite(`${crowd} requests at the same moment, on two nodes`, () => {
  const refreshForm = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });

  test('with one code get one set of tokens, and it works', async () => {
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    const once = await code(crm);
    const form = {
      grant_type: 'authorization_code',
      code: once,
      code_verifier: crm.verifier,
      redirect_uri: redirectUri,
    };
    const answers = await meetAt(once, () => crowdAt(crm, form));
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    assert.ok(won);
    assert.equal(more.length, 0);
    for (const { status, text } of answers.filter((answer) => answer !== won)) {
      assert.equal(status, 400, text);
      assert.equal(JSON.parse(text).error, 'invalid_grant');
    }
    const tokens: Tokens = JSON.parse(won.text);
    for (const node of [world.app, otherNode]) assert.equal(await callAt(node, crm, tokens.access_token), 200);
    assert.equal(await unusedRefreshTokens(crm), 1);
    granted(await crm.refresh(tokens.refresh_token));
    await pass(4);
    assertRefused(await crm.redeem(once));
    await assertEnded(crm, [tokens.access_token]);
  });

  test('with one code, however they come, get one set of tokens, and it works', async () => {
    for (let round = 0; round < 3; round++) {
      await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
      const form = {
        grant_type: 'authorization_code',
        code: await code(crm),
        code_verifier: crm.verifier,
        redirect_uri: redirectUri,
      };
      const answers = await Promise.all(crowdAt(crm, form));
      const [won, ...more] = answers.filter(({ status }) => status === 200);
      assert.equal(more.length, 0);
      granted(await crm.refresh(JSON.parse(won?.text ?? '{}').refresh_token));
    }
  });

  test('one that came while the code’s answer was being made is only refused, and the answer is good', async () => {
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    const form = {
      client_id: crm.clientId,
      client_secret: crm.clientSecret,
      grant_type: 'authorization_code',
      code: await code(crm),
      code_verifier: crm.verifier,
      redirect_uri: redirectUri,
    };
    const [first, second] = [holdBefore('insert into oauth_tokens'), holdBefore('select payload')];
    const nodes = [
      await anotherNode(world, { pool: first.pool }),
      await anotherNode(world, { pool: second.pool }),
    ] as const;
    const answer = post(nodes[0], form);
    await first.reached;
    const twin = post(nodes[1], form);
    await second.reached;
    first.open();
    const tokens = granted(await answer);
    second.open();
    assertRefused(await twin);
    granted(await crm.refresh(tokens.refresh_token));
    for (const node of nodes) await node.close();
  });

  test('with one refresh token all get the same answer, and the chain has one end', async () => {
    const { refresh_token } = await begin();
    const answers = await meetAt(refresh_token, () => crowdAt(crm, refreshForm(refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await unusedRefreshTokens(crm), 1);
    granted(await crm.refresh(JSON.parse(answers[0]?.text ?? '').refresh_token));
  });

  test('with one refresh token, however they come, all get the same answer', async () => {
    const { refresh_token } = await begin();
    const answers = await Promise.all(crowdAt(crm, refreshForm(refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await unusedRefreshTokens(crm), 1);
  });

  test('with a refresh token that was used long ago are all 400, and the grant ends', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    await pass(31);
    const answers = await Promise.all(crowdAt(crm, refreshForm(first.refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400], JSON.stringify(answers));
    assert.equal(await unusedRefreshTokens(crm), 0);
    assertRefused(await crm.refresh(second.refresh_token));
  });

  test('half of them with a stolen token and half with its successor, fail no node, and leave no second chain', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await begin();
      const second = granted(await crm.refresh(first.refresh_token));
      await pass(31);
      const answers = await Promise.all([
        ...crowdAt(crm, refreshForm(second.refresh_token)),
        ...crowdAt(crm, refreshForm(first.refresh_token)),
      ]);
      const statuses = new Set(answers.map(({ status }) => status));
      assert.deepEqual([...statuses.difference(new Set([200, 400]))], [], JSON.stringify([...statuses]));
      const successors = answers.filter(({ status }) => status === 200).map(({ text }) => text);
      assert.ok(new Set(successors).size <= 1);
      assert.equal(await unusedRefreshTokens(crm), 0, 'the stolen one ended the grant');
    }
  });
});

async function post(node: App, form: Record<string, string>): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const payload = String(new URLSearchParams(form));
  return inject(node, { method: 'POST', url: '/oauth/token', headers, payload });
}

/** The world's database, where a transaction waits before its first statement that begins so. */
function holdBefore(start: string): { pool: Pool; reached: Promise<void>; open(): void } {
  const [opened, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { pool } = world.database;
  const held = (db: Transaction): Transaction => ({
    ...db,
    transaction: (work) => work(held(db)),
    async query<Row extends object>(text: string, values?: unknown[], name?: string) {
      if (text.startsWith(start)) {
        reached.resolve();
        await opened.promise;
      }
      return db.query<Row>(text, values, name);
    },
  });
  const transaction: Pool['transaction'] = (work) => pool.transaction((db) => work(held(db)));
  return { pool: { ...pool, transaction }, reached: reached.promise, open: () => opened.resolve() };
}

suite('what the database knows', () => {
  test('is no secret that was handed out in a whole flow: not a code, a token, a cookie or an id of a request', async () => {
    const secrets = new Map<string, string>();
    const dumps: string[] = [];
    const client = await makeClient(world);
    const visitor = await signedIn(world, world.bob);
    keepCookies('/');
    const state = 'state-of-the-client';

    const { location: path = '' } = await visitor.open(client.authorizeUrl({ state }));
    keep('the request’s id', path.split('/').at(-1));
    keepCookies(path);
    await dump();
    const decided = await visitor.submit(await visitor.open(path), path, { decision: 'allow' });
    keepCookies(decided.location ?? '');
    await dump();
    const back = new URL((await visitor.open(decided.location ?? '')).location ?? '');
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
    await visitor.open(client.authorizeUrl({ state }));
    const { clientId: client_id, clientSecret: client_secret } = client;
    await client.post('/oauth/revoke', { client_id, client_secret, token: tokens.access_token });
    await dump();

    assert.ok(secrets.size >= 15, `${[...secrets.keys()]}`);
    const all = dumps.join('\n');
    assert.match(all, /state-of-the-client/, 'the rows of requests that wait are there');
    assert.match(all, new RegExp(client.clientId), 'and those of applications');
    for (const [what, secret] of secrets)
      for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
        assert.ok(!all.includes(form), `${what} is in the database`);

    function keep(what: string, secret: string | undefined): void {
      assert.ok(secret && secret.length >= 20, what);
      secrets.set(what, secret);
    }

    function keepCookies(at: string): void {
      for (const pair of visitor.cookies(at).split('; ')) {
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

  test('an answer is kept for 30 seconds and then forgotten, the use of its token longer', async () => {
    const first = await begin();
    granted(await crm.refresh(first.refresh_token));
    const answer = async () => {
      const [row] = await world.database.asOwner<{ kept: boolean; used: boolean }>(
        'select answer is not null as kept, date_time_used is not null as used from oauth_tokens where token_hash = $1',
        [hashSecret(first.refresh_token)],
      );
      return row;
    };
    await forgetExpiredTokens(world.deps);
    assert.deepEqual(await answer(), { kept: true, used: true });
    await pass(31);
    await forgetExpiredTokens(world.deps);
    assert.deepEqual(await answer(), { kept: false, used: true });
    assertRefused(await crm.refresh(first.refresh_token));
    assert.equal(await unusedRefreshTokens(crm), 0, 'and so it still gives a second use away');
  });

  test('two equal answers are not equal there', async () => {
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
    const answer = { access_token: 'same' };
    for (const token of ['one', 'two']) await keepAnswer(world.deps, { token, successor: 'three', answer });
    const rows = await world.database.asOwner<{ answer: Buffer }>(
      'select answer from oauth_tokens where token_hash = any($1)',
      [[hashSecret('one'), hashSecret('two')]],
    );
    assert.notDeepEqual(rows[0]?.answer, rows[1]?.answer);
    const now = { arrived: new Date(), meanwhile: false };
    assert.deepEqual(await judgeReuse(world.deps, { kind: 'RefreshToken', value: 'one', ...now }), { answer });
    assert.deepEqual(await judgeReuse(world.deps, { kind: 'AuthorizationCode', value: 'one', ...now }), {
      ended: false,
    });
    assert.deepEqual(await judgeReuse(world.deps, { kind: 'RefreshToken', value: 'nobody', ...now }), {
      ended: false,
    });
  });
});

/** One chain of refresh tokens as it should be: who was used, how long ago, and whether all is over. */
class Chain {
  readonly links: { tokens: Tokens; usedSecondsAgo: number | null }[];
  ended = false;

  constructor(first: Tokens) {
    this.links = [{ tokens: first, usedSecondsAgo: null }];
  }

  /** What presenting that link comes to; what it changes is noted. */
  present(index: number): 'new' | 'same' | 'refused' {
    const [link, successor] = [this.links[index], this.links[index + 1]];
    if (this.ended || !link) return 'refused';
    if (link.usedSecondsAgo === null) return 'new';
    if (link.usedSecondsAgo < 30 && successor?.usedSecondsAgo === null) return 'same';
    this.ended = true;
    return 'refused';
  }
}

type Command = fc.AsyncCommand<Chain, Client>;

function command(name: string, run: (chain: Chain, client: Client) => Promise<void>): Command {
  return {
    check: () => true,
    async run(chain, client) {
      await run(chain, client);
      assert.equal(await unusedRefreshTokens(client), chain.ended ? 0 : 1);
    },
    toString: () => name,
  };
}

/** The link that many steps from the end: the last ones are where it gets interesting. */
const back = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3);

test('whatever comes in whatever order, there is one chain or none', async () => {
  const stranger = await makeClient(world);

  const refresh = back.map((steps) =>
    command(`refresh with the link ${steps} before the end`, async (chain, client) => {
      const index = Math.max(0, chain.links.length - 1 - steps);
      const link = chain.links[index];
      assert.ok(link);
      const expected = chain.present(index);
      const answer = await client.refresh(link.tokens.refresh_token);
      if (expected === 'refused') return assertRefused(answer);
      const tokens = granted(answer);
      if (expected === 'same') return assert.deepEqual(tokens, chain.links[index + 1]?.tokens);
      link.usedSecondsAgo = 0;
      chain.links.push({ tokens, usedSecondsAgo: null });
    }),
  );

  const mistake = fc.tuple(back, fc.constantFrom('stranger', 'secret', 'scope', 'resource')).map(([steps, what]) =>
    command(`the link ${steps} before the end with a wrong ${what}`, async (chain, client) => {
      const token = chain.links[Math.max(0, chain.links.length - 1 - steps)]?.tokens.refresh_token ?? '';
      if (what === 'stranger') return assertRefused(await stranger.refresh(token));
      if (what === 'secret') return assert.equal((await client.refresh(token, { client_secret: 'x' })).status, 401);
      // Of a token that was used, its use is the graver mistake, and judged.
      const index = chain.links.findIndex(({ tokens }) => tokens.refresh_token === token);
      if (what === 'resource' && chain.links[index]?.usedSecondsAgo !== null) return;
      const wrong: Record<string, string> =
        what === 'scope' ? { scope: 'openid nonsense' } : { resource: 'https://evil.example/' };
      assert.equal((await client.refresh(token, wrong)).status, 400);
    }),
  );

  // Never near the 30 seconds, so that the time that the test itself takes decides nothing.
  const time = fc.constantFrom(10, 50).map((seconds) =>
    command(`${seconds} seconds pass`, async (chain) => {
      await pass(seconds);
      for (const link of chain.links) if (link.usedSecondsAgo !== null) link.usedSecondsAgo += seconds;
    }),
  );

  const again = fc.constant(
    command('the advisor authorizes again', async (chain, client) => {
      if (!chain.ended) return;
      const first = granted(await client.redeem(await code(client)));
      chain.links.splice(0, chain.links.length, { tokens: first, usedSecondsAgo: null });
      chain.ended = false;
    }),
  );

  const commands = fc.commands([refresh, refresh, refresh, mistake, time, again], { maxCommands: 20 });
  await fc.assert(
    fc.asyncProperty(commands, async (run) => {
      const chain = new Chain(await begin());
      await fc.asyncModelRun(() => ({ model: chain, real: crm }), run);
      const accessTokens = chain.links.map(({ tokens }) => tokens.access_token);
      if (chain.ended) await assertEnded(crm, accessTokens);
      else for (const token of accessTokens) assert.equal((await crm.call(token)).status, 200);
    }),
    { numRuns: 40 },
  );
});
