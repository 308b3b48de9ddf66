import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { App } from '../../src/app.ts';
import { disconnect } from '../../src/domain/access/grants.ts';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
import type { Pool, Transaction } from '../../src/store/database/db.ts';
import { countWaiting } from '../support/database.ts';
import { anotherNode } from '../support/nodes.ts';
import { type Client, redirectUri, type Tokens } from '../support/oauth-client.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject } from '../support/world.ts';
import { formType, granted } from './setup.ts';
import { assertInvalidGrant, crowd, makeTwoNodes } from './two-nodes.ts';

const { world, crm, addresses, codeFor, begin, pass, assertEnded, unusedRefreshTokens, close } = await makeTwoNodes();
after(close);
const { ann } = world;

/** Holds all requests at that token until all have arrived, then lets them go at once. */
async function meetAt<Result>(token: string, come: () => Promise<Result>[]): Promise<Result[]> {
  const arrivals = await world.database.pool.transaction(async (db) => {
    await db.query('select from oauth_tokens where token_hash = $1 for update', [hashSecret(token)]);
    const all = come();
    await until('all wait at the same row', async () => (await countWaiting(world.database)) >= all.length);
    return all;
  });
  return Promise.all(arrivals);
}

/** The crowd's requests, alternating between the two nodes, each on a socket. */
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

  test('with one code get one set of tokens, and the others end it on every node', async () => {
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    const once = await codeFor(crm);
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
    assert.equal(await unusedRefreshTokens(crm), 0);
    assertInvalidGrant(await crm.refresh(tokens.refresh_token));
    await assertEnded(crm, [tokens.access_token]);
  });

  test('a duplicate during the code exchange waits for it, and then ends the tokens that it gave', async () => {
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    const form = {
      client_id: crm.clientId,
      client_secret: crm.clientSecret,
      grant_type: 'authorization_code',
      code: await codeFor(crm),
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
    assertInvalidGrant(await twin);
    assertInvalidGrant(await crm.refresh(tokens.refresh_token));
    await assertEnded(crm, [tokens.access_token]);
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

  test('with a refresh token that was used long ago are all 400, and the grant ends', async () => {
    const first = await begin();
    const second = granted(await crm.refresh(first.refresh_token));
    await pass(31);
    const answers = await Promise.all(crowdAt(crm, refreshForm(first.refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400], JSON.stringify(answers));
    assert.equal(await unusedRefreshTokens(crm), 0);
    assertInvalidGrant(await crm.refresh(second.refresh_token));
  });

  test('half with a stolen token and half with its successor, crash no node and leave no second chain', async () => {
    for (let round = 0; round < rounds(5); round++) {
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
  const headers = { 'content-type': formType };
  const payload = String(new URLSearchParams(form));
  return inject(node, { method: 'POST', url: '/oauth/token', headers, payload });
}

/** The world's database, where a transaction waits before its first statement that starts like this. */
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
