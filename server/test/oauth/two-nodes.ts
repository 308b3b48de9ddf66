import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { disconnect } from '../../src/domain/access/grants.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import type { Client, Tokens } from '../support/oauth-client.ts';
import { listen } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject } from '../support/world.ts';
import { makeOAuthWorld } from './setup.ts';

/** How many requests meet at one row. */
export const crowd = 20;

/** Two nodes on one database, with sockets, and what a test of reuse asks of them. */
export async function makeTwoNodes() {
  // Each request of a crowd that meets at one row holds a connection while it waits.
  const oauth = await makeOAuthWorld({ env: { DATABASE_POOL_SIZE: '60' }, database: { size: crowd + 5 } });
  const { world, crm } = oauth;
  const { ann, database } = world;
  const otherPool = connect({ connectionString: database.url, size: crowd, timeoutMs: 5_000, role: appRole });
  const otherNode = await anotherNode(world, { pool: otherPool });
  const nodes = [world.app, otherNode];
  const addresses: string[] = [];
  for (const node of nodes) addresses.push(`http://127.0.0.1:${await listen(node)}`);

  async function close(): Promise<void> {
    await otherNode.close();
    await otherPool.end();
    await world.close();
  }

  /** The first tokens of a grant of its own. */
  async function begin(): Promise<Tokens> {
    await disconnect(world.deps, crm.clientId, ann.advisor.advisorId);
    return oauth.tokensFor(crm);
  }

  /** Makes it look as if the tokens were used that much earlier. */
  async function pass(seconds: number): Promise<void> {
    await database.asOwner('update oauth_tokens set date_time_used = date_time_used - make_interval(secs => $1)', [
      seconds,
    ]);
  }

  async function assertEnded(client: Client, accessTokens: string[]): Promise<void> {
    for (const node of nodes)
      for (const token of accessTokens)
        await until(
          'the access token is refused on every node',
          async () => (await callAt(node, client, token)) === 401,
        );
  }

  async function unusedRefreshTokens(client: Client): Promise<number> {
    const [row] = await database.asOwner<{ count: string }>(
      `select count(*)
       from oauth_tokens
       join grants using (grant_id)
       join applications using (application_id)
       where client_id = $1 and advisor_id = $2 and oauth_tokens.kind = 'RefreshToken' and date_time_used is null`,
      [client.clientId, ann.advisor.advisorId],
    );
    return Number(row?.count);
  }

  return { ...oauth, nodes, otherNode, addresses, close, begin, pass, assertEnded, unusedRefreshTokens };
}

export function assertInvalidGrant({ status, body }: Answer): void {
  assert.equal(status, 400, JSON.stringify(body));
  assert.equal(body.error, 'invalid_grant');
}

export async function callAt(node: App, client: Client, token: string): Promise<number> {
  const headers = credentials(token, client.apiKey);
  return (await inject(node, { method: 'GET', url: '/v1/core/contact/contacts', headers })).status;
}
