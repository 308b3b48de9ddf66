import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeExports } from '../../src/domain/record-keeping/exports.ts';
import { signer } from '../archive/small-archive.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let cameron: StaffPerson;
before(async () => {
  world = await makeWorld();
  cameron = await makeStaff(world, { role: 'compliance_officer', firmId: world.ann.advisor.firmId });
});
after(() => world.close());

test('an export is made by a node that has the key, and downloaded from any, as one file', async () => {
  const { advisorId } = world.ann.advisor;
  const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  const { exportId } = (await cameron.call('POST', '/exports', { advisorId, ...period, format: 'eml' })).body;
  await makeExports(world.deps);
  const file = () => cameron.call('GET', `/exports/${exportId}/file`);
  assert.equal((await file()).status, 409, 'a node without the key makes none');
  await makeExports({ ...world.deps, signer });
  const [made] = (await cameron.call('GET', '/exports')).body.data;
  assert.equal(made.status, 'ready');
  assert.ok(made.entriesDone > 0 && made.entriesDone === made.entriesTotal);
  const { status, headers } = await file();
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/zip');
  assert.match(String((await cameron.call('GET', '/exports/verify.mjs')).body), /--package DIR/);
  const entry = await world.database.asOwner<{ actor: string }>(
    `select actor from archive_entries where kind = 'export' and advisor_id = ${advisorId}`,
  );
  assert.deepEqual(entry, [{ actor: `staff:${cameron.staffId}` }]);
});
