import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
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
  const { body, headers: asked } = await cameron.call('POST', '/exports', { advisorId, ...period, format: 'eml' });
  const { exportId } = body;
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
  const entries = await world.database.asOwner<{ actor: string; traceId: string; meta: string }>(
    `select actor, trace_id as "traceId", meta from archive_entries
     where kind = 'export' and advisor_id = ${advisorId} order by number`,
  );
  assert.deepEqual(
    entries.map(({ actor, traceId, meta }) => [
      actor,
      JSON.parse(meta).what,
      JSON.parse(meta).exportId,
      traceId !== null,
    ]),
    [
      [`staff:${cameron.staffId}`, 'archive', undefined, true],
      [`staff:${cameron.staffId}`, 'archive downloaded', exportId, true],
    ],
    'a file that wasn’t there is no download',
  );
  assert.equal(entries[0]?.traceId, asked['x-trace-id']);
});

test('a firm that asks for many exports waits for itself: another firm’s is made after one of them', async () => {
  const { advisorId } = world.ann.advisor;
  const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', format: 'ndjson' };
  const { firmId } = await addFirm(world.deps, 'Another firm');
  const dana = await makeStaff(world, { role: 'compliance_officer', firmId });
  const { advisorId: otherId } = await addAdvisor(world.deps, { firmId, name: 'Avery', email: 'avery@other.example' });
  const ask = async (officer: StaffPerson, advisorId: number): Promise<number> =>
    (await officer.call('POST', '/exports', { advisorId, ...period })).body.exportId;
  const many = [];
  for (let count = 0; count < 4; count += 1) many.push(await ask(cameron, advisorId));
  const others = [await ask(dana, otherId), await ask(dana, otherId)];
  await makeExports({ ...world.deps, signer });
  const made = await world.database.asOwner<{ exportId: number }>(
    'select export_id::integer as "exportId" from exports order by leased_until desc limit 6',
  );
  const [first, second, third, fourth] = many;
  assert.deepEqual(
    made.reverse().map(({ exportId }) => exportId),
    [others[0], first, others[1], second, third, fourth],
  );
});

test('a firm waits for a hundred exports at most', async () => {
  const { advisorId, firmId } = world.ann.advisor;
  const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', format: 'ndjson' };
  await world.database.asOwner(
    `insert into exports (firm_id, staff_id, of_advisor, period_from, period_to, format, date_time_created)
     select ${firmId}, ${cameron.staffId}, ${advisorId}, now() - interval '1 day', now(), 'eml', now()
     from generate_series(1, 99)`,
  );
  const ask = () => cameron.call('POST', '/exports', { advisorId, ...period });
  assert.deepEqual([(await ask()).status, (await ask()).status], [200, 409]);
});
