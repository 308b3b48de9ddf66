import assert from 'node:assert/strict';
import { createPrivateKey, randomBytes } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import type { Deps } from '../../src/deps.ts';
import { allScopes } from '../../src/domain/access/scopes.ts';
import {
  forgetRetiredSigningKeys,
  listSigningKeys,
  prepareSigningKeys,
  resealSigningKeys,
  rotateSigningKeys,
} from '../../src/domain/access/signing-keys.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { makeSealer } from '../../src/domain/shared/sealing.ts';
import { runCommand } from '../support/commands.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { makeDataFolder } from '../support/programs.ts';
import { credentialsKey, inject, makeWorld } from '../support/world.ts';

type Row = { kid: string; jwk: Record<string, string>; sealed: Buffer | null };

const world = await makeWorld();
const { deps, database, clientId, apiKey } = world;
const { advisorId } = world.ann.advisor;
const current = Buffer.from(credentialsKey, 'base64');
const unsealed: Deps = { ...deps, sealer: makeSealer([]) };
after(() => world.close());
beforeEach(() => database.asOwner('delete from signing_keys'));

const rows = () =>
  database.asOwner<Row>('select kid, jwk, sealed_private_part as sealed from signing_keys order by date_time_signs');
const token = (on: Deps = deps) => issueToken(on, { clientId, advisorId, scopes: allScopes });
const signer = (issued: string) => decodeProtectedHeader(issued).kid;

/** What a node that has just started says to the token. */
async function statusOf(issued: string, on: Deps = deps): Promise<number> {
  const node = await anotherNode(world, { sealer: on.sealer });
  const headers = credentials(issued, apiKey);
  const { status } = await inject(node, { method: 'GET', url: '/v1/core/contact/contacts', headers });
  await node.close();
  return status;
}

async function assertUnreadable(): Promise<void> {
  const [dump] = await database.asOwner<{ text: string }>(
    `select string_agg(k::text || ' ' || encode(coalesce(sealed_private_part, ''), 'escape'), E'\n') as text
     from signing_keys k`,
  );
  const keys = await listSigningKeys(deps);
  assert.ok(keys.length > 0);
  for (const { privateJwk } of keys) {
    const secret = privateJwk?.d ?? assert.fail('there is no private part');
    const bytes = Buffer.from(secret, 'base64url');
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64'), bytes.toString('latin1')])
      assert.ok(!dump?.text.includes(form));
  }
  assert.doesNotMatch(dump?.text ?? '', /"d"|PRIVATE KEY/);
  for (const { jwk } of await rows()) assert.throws(() => createPrivateKey({ key: jwk, format: 'jwk' }));
}

test('the table alone can’t sign: no private part of any key is readable in it', async () => {
  await token();
  await assertUnreadable();
  await rotateSigningKeys(deps);
  assert.equal((await rows()).length, 2);
  await assertUnreadable();
});

test('keys of the version before are sealed when a node starts, once, and their tokens stay good', async () => {
  const issued = await token(unsealed);
  const [plain] = await rows();
  assert.ok(plain?.jwk.d && plain.sealed === null, 'as the version before stored it');
  await Promise.all(Array.from({ length: 5 }, () => prepareSigningKeys(deps)));
  const [sealed, ...more] = await rows();
  assert.deepEqual([sealed?.kid, sealed?.jwk.x, more], [plain.kid, plain.jwk.x, []]);
  await assertUnreadable();
  assert.equal(await statusOf(issued), 200);
  assert.equal(signer(await token()), plain.kid);
});

test('without CREDENTIALS_KEY, which only production can lack, keys are stored as they are, and work', async () => {
  const issued = await token(unsealed);
  assert.equal(await statusOf(issued, unsealed), 200);
  await rotateSigningKeys(unsealed);
  assert.equal(signer(await token(unsealed)), signer(issued));
});

test('a sealed part that was moved to another key opens neither', async () => {
  await token();
  await rotateSigningKeys(deps);
  const [one, other] = await rows();
  for (const [kid, sealed] of [
    [one?.kid, other?.sealed],
    [other?.kid, one?.sealed],
  ])
    await database.asOwner('update signing_keys set sealed_private_part = $2 where kid = $1', [kid, sealed]);
  await assert.rejects(listSigningKeys(deps));
});

test('a node with a different CREDENTIALS_KEY accepts the others’ tokens, signs with a key of its own, and forgets none', async () => {
  const strange: Deps = { ...deps, sealer: makeSealer([randomBytes(32)]) };
  const ours = await token();
  assert.equal(await statusOf(ours, strange), 200);
  const theirs = await token(strange);
  assert.notEqual(signer(theirs), signer(ours));
  assert.equal(await statusOf(theirs), 200);
  assert.equal(signer(await token()), signer(ours));
  await database.asOwner(`update signing_keys set date_time_signs = date_time_signs - interval '1 day'`);
  for (const each of [deps, strange]) await forgetRetiredSigningKeys(each);
  assert.equal((await rows()).length, 2);
});

test('when CREDENTIALS_KEY is replaced, the keys are sealed again and go on signing', async () => {
  const issued = await token();
  const next = randomBytes(32);
  const both: Deps = { ...deps, sealer: makeSealer([next, current]) };
  const only: Deps = { ...deps, sealer: makeSealer([next]) };
  assert.equal(await resealSigningKeys(both), 1);
  assert.equal(signer(await token(only)), signer(issued));
  assert.equal(await statusOf(issued, only), 200);
  assert.equal((await rows()).length, 1);
});

test('the operator’s command seals them again too', async () => {
  const folder = makeDataFolder();
  const issued = await token();
  const next = randomBytes(32);
  const env = { DATABASE_URL: database.url, ASSENT_DATA_DIR: folder.path };
  const CREDENTIALS_KEY = `${next.toString('base64')},${credentialsKey}`;
  const { status, stderr } = await runCommand(['secrets', 'reseal'], { ...env, CREDENTIALS_KEY });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /0 CRMs, 0 webhooks, 0 alert targets and 0 carriers, and 1 signing keys/);
  assert.equal(signer(await token({ ...deps, sealer: makeSealer([next]) })), signer(issued));
  folder.remove();
});
