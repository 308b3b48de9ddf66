import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { isWhole } from '../support/rounds.ts';
import { guardTamperings } from './guard-tampering.ts';
import { outsideTamperings } from './outside-tampering.ts';
import { archiveDepsOn, lastOfEightYears, makeSmallArchive } from './small-archive.ts';
import { tamperings, type Who } from './tampering.ts';
import { tryTampering, verify } from './try-tampering.ts';

const archive = await makeSmallArchive();
after(() => archive.drop());

async function isDistributed(): Promise<boolean> {
  const database = await archive.copy();
  try {
    return (await database.pool.nodes()) !== null;
  } finally {
    await database.drop();
  }
}

test('an untouched archive is intact', async () => {
  const database = await archive.copy();
  const { verdict, faults, size, checkpoints, pending } = await verify(database.pool, archive);
  assert.deepEqual(
    { verdict, faults, size, checkpoints, pending },
    { verdict: 'intact', faults: [], size: 68, checkpoints: 11, pending: 0 },
  );
  await database.drop();
});

test('so is one whose bodies were disposed of when they were due', async () => {
  const database = await archive.copy();
  const [ann] = archive.advisors;
  await database.pool.query('update sandbox_clock set offset_ms = 9 * 366 * 86400000::bigint');
  await database.pool.query(`select from dispose_bodies($1, 0, 100, 'service')`, [ann]);
  for (const isSigned of [false, true]) {
    if (isSigned) await growTree(archiveDepsOn(database.pool));
    const { verdict, faults, disposed } = await verify(database.pool, archive);
    assert.deepEqual([verdict, faults, disposed], ['intact', [], lastOfEightYears]);
  }
  await database.drop();
});

test('one that has lost a body is incomplete, and altered if an entry was altered as well', async (t) => {
  const database = await archive.copy();
  t.after(() => database.drop());
  const [ann] = archive.advisors;
  for (const table of ['archive_entries', 'archive_bodies'])
    await database.asOwner(`alter table ${table} disable trigger user`);
  await database.asOwner('delete from archive_bodies where advisor_id = $1 and number = 17', [ann]);
  assert.equal((await verify(database.pool, archive)).verdict, 'incomplete');
  await database.asOwner("update archive_entries set actor = 'operator' where advisor_id = $1 and number = 20", [ann]);
  assert.equal((await verify(database.pool, archive)).verdict, 'altered');
});

test('any tampering, by anyone, is refused or detected, and the entry is named', async () => {
  // With the walls removed, verification sees the same of an owner and of a superuser.
  const whos: Who[] = isWhole ? ['application', 'owner', 'superuser'] : ['application', 'owner'];
  const outcomes = await tryTampering(archive, whos);
  const guards = (await isDistributed()) ? 0 : guardTamperings.length * 2;
  assert.equal(outcomes.length, tamperings.length * whos.length + 1 + outsideTamperings.length + guards);
  for (const { name, who, outcome, named, said } of outcomes) {
    if (who !== 'application') assert.equal(outcome, 'detected', `${name} by the ${who}: ${said}`);
    else assert.notEqual(outcome, 'missed', `${name} by the ${who}: ${said}`);
    assert.ok(named, `${name} by the ${who} is not named: ${said}`);
  }
});
