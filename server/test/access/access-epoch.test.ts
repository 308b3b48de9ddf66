import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, mock, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { revokeApiKey, setApiKeyPlan, unlimited } from '../../src/domain/access/api-keys.ts';
import { disableApplication, setExternalClientId } from '../../src/domain/access/applications.ts';
import { type Caller, callerFinder } from '../../src/domain/access/callers.ts';
import { disconnect, provision, unprovision } from '../../src/domain/access/grants.ts';
import { replaceSigningKeys } from '../../src/domain/access/signing-keys.ts';
import { revokeToken } from '../../src/domain/access/tokens.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { Problem } from '../../src/domain/problems.ts';
import { findAccessEpoch } from '../../src/store/access/access-epoch.ts';
import { makeWorld, type World } from '../support/world.ts';

const store = fileURLToPath(new URL('../../src/store/', import.meta.url));
const askingMs = 1_000;
/** We promise one second, with two looks at the database. This only tells late from never, on a busy machine. */
const endsWithinMs = 30_000;

suite('access epoch', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const token = (given: object = {}) => ({
    client: world.clientId,
    advisor: String(world.ann.advisor.advisorId),
    scopes: new Set<string>(),
    expiresAtMs: Number.POSITIVE_INFINITY,
    grantId: null,
    tokenId: null,
    authorizationId: null,
    kid: null,
    ...given,
  });

  test('grows in every statement that may end somebody’s access', () => {
    const asked = readFileSync(join(store, 'access/api-keys.ts'), 'utf8').split('export async function findCaller')[1];
    const tables = [...(asked ?? '').matchAll(/from (\w+)/g)].map(([, table]) => table);
    assert.ok(tables.includes('grants') && tables.includes('signing_keys'), `the door asks for ${tables}`);
    const write = new RegExp(`(update|delete from) (${tables.join('|')})\\b|insert into revoked_tokens`);
    const forgetting = globSync('**/*.ts', { cwd: store }).flatMap((file) => {
      const source = readFileSync(join(store, file), 'utf8');
      const statements = [...source.matchAll(/query(?:<.*?>)?\(\s*([`'])(.*?)\1/gs)].map(([, , sql = '']) => sql);
      return statements.filter((sql) => write.test(sql) && !sql.includes('accessEnds')).map((sql) => `${file}: ${sql}`);
    });
    assert.deepEqual(forgetting, []);
  });

  test('grows with each way to end access', async () => {
    const { deps, ann, clientId } = world;
    const { advisorId } = ann.advisor;
    const { keyId } = await world.newKey(unlimited);
    const ways: Record<string, () => Promise<unknown>> = {
      'a plan': () => setApiKeyPlan(deps, keyId, { ...unlimited, burst: 5, ratePerSecond: 5 }),
      'a key': () => revokeApiKey(deps, keyId),
      'a client id elsewhere': () => setExternalClientId(deps, clientId, 'elsewhere'),
      provisioning: async () => {
        await provision(deps, advisorId, clientId);
        await unprovision(deps, advisorId, clientId);
      },
      'a connection': () => disconnect(deps, clientId, advisorId),
      'a token': () => revokeToken(deps, token({ tokenId: 'revoked', expiresAtMs: Date.now() + 60_000 })),
      'signing keys': () => replaceSigningKeys(deps),
      'an advisor': () => setAdvisor(deps, advisorId, { disabled: true }),
      'an application': () => disableApplication(deps, clientId),
    };
    for (const [what, end] of Object.entries(ways)) {
      const earlier = await findAccessEpoch(deps.db);
      await end();
      assert.ok((await findAccessEpoch(deps.db)) > earlier, what);
    }
  });

  test('lets a node ask once for a caller, and end their access within a second', async (t) => {
    const own = await makeWorld();
    t.after(() => own.close());
    const { deps, apiKey, clientId, ann } = own;
    const lookUp = mock.fn(deps.db.lookUp);
    const callers = () => lookUp.mock.calls.filter(({ arguments: [, , name] }) => name === 'find-caller').length;
    const find = callerFinder({ ...deps, db: { ...deps.db, lookUp } }, async () =>
      token({ client: clientId, advisor: String(ann.advisor.advisorId) }),
    );
    const ask = (): Promise<Caller | Problem> => find({ accessToken: 'token', apiKey }).catch((error) => error);
    const began = performance.now();
    while (performance.now() < began + askingMs) await ask();
    assert.equal(callers(), 1);
    await disableApplication(deps, clientId);
    const ended = performance.now();
    while (!((await ask()) instanceof Problem)) assert.ok(performance.now() < ended + endsWithinMs);
  });
});
