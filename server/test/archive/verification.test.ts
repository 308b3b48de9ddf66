import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { byCommand, byStaff, deployment } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { type KeptCopies, verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { explainTimes } from '../../src/domain/archive/explanations.ts';
import { openSignedCheckpoints } from '../../src/domain/archive/verification/signed-checkpoints.ts';
import { readCheckpoint } from '../../src/domain/examiner/notes.mjs';
import { insertNumberedEntries } from '../../src/store/archive/archive.ts';
import * as store from '../../src/store/archive/archive-tree.ts';
import { makeDatabase } from '../support/database.ts';
import { atAnyTime } from '../support/wrong-clock.ts';
import { archiveDepsOn, signer } from './small-archive.ts';

const database = await makeDatabase();
const deps = archiveDepsOn(database.pool);
after(() => database.drop());

/** Adds texts of advisor 1 and signs the tree. Bypasses the domain, which would take a minute. */
async function addTexts(count: number): Promise<void> {
  await database.asOwner(
    `with texts as (
       select coalesce((select max(number) from archive_entries), 0) + n as number, decode(md5(n::text), 'hex') as salt
       from generate_series(1, ${count}) as n
     ),
     bodies as (
       insert into archive_bodies (advisor_id, number, salt, body)
       select 1, number, salt, convert_to('Text ' || number, 'UTF8')
       from texts
     ),
     head as (
       insert into archive_heads (advisor_id, last_number)
       select 1, max(number)
       from texts
       on conflict (advisor_id) do update
       set last_number = excluded.last_number
     )
     insert into archive_entries (advisor_id, number, kind, actor, meta, commitment, date_time_created)
     select 1, number, 'text_in', 'person', '{}', sha256(salt || convert_to('Text ' || number, 'UTF8')), now()
     from texts`,
  );
  while (await growTree(deps));
}

async function* each<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

function verify(kept: Partial<KeptCopies>) {
  const all = { notes: () => [], leaves: async () => [], ...kept };
  return verifyArchive(deps, { verifiers: [signer.verifier], kept: all, progress: () => {} });
}

async function notes(): Promise<string[]> {
  return (await store.listCheckpointsAfter(deps.db, 0, 1_000)).map(({ note }) => note);
}

test('an archive that grows while it is verified is intact', async () => {
  await addTexts(600);
  let grown = false;
  const { verdict, faults, size } = await verify({
    async leaves() {
      // More than a tile, so that the tile above it changes too, and a checkpoint that is larger than the tree was.
      if (!grown) await addTexts(300);
      grown = true;
      return [];
    },
  });
  assert.deepEqual(faults, []);
  assert.equal(verdict, 'intact');
  assert.equal(size, 600);
});

test('copies of checkpoints are compared in any order', async () => {
  await addTexts(5_000);
  await addTexts(100);
  const copies = await notes();
  assert.equal(readCheckpoint(copies.at(-1) ?? '', signer.verifier)?.size, 6_000);
  assert.equal((await verify({ notes: () => [each(copies.toReversed())] })).verdict, 'intact');

  const forged = signer.sign(`${signer.verifier.name}\n700\n${Buffer.alloc(32).toString('base64')}\n`);
  const { verdict, faults } = await verify({ notes: () => [each([...copies, forged])] });
  assert.equal(verdict, 'altered');
  assert.match(faults[0]?.what ?? '', /is not what the checkpoint of 700 entries was signed for/);
});

test('a step through the checkpoints has only those between two sizes', async () => {
  const checkpoints = openSignedCheckpoints(deps, { verifiers: [signer.verifier], kept: null, treeSize: 6_000 });
  assert.deepEqual([...(await checkpoints.upTo(899)).signed.keys()], [600]);
  assert.deepEqual([...(await checkpoints.upTo(5_900)).signed.keys()], [900, 5_900]);
  assert.equal(checkpoints.read.stored, 3);
  await checkpoints.close();
});

test('a checkpoint that was altered is named, however many there are', async () => {
  const now = new Date();
  for (let at = 0; at < 300; at += 1) {
    const root = (await store.findTree(deps.db)).root.toString('base64');
    const note = signer.sign(`${signer.verifier.name}\n6000\n${root}\ntime ${at}\n`);
    await store.insertCheckpoint(deps.db, { size: 6_000, note: at === 280 ? note.replace('time', 'date') : note, now });
  }
  const copies = await notes();
  const { verdict, faults, checkpoints } = await verify({ notes: () => [each(copies)] });
  assert.equal(verdict, 'altered');
  assert.equal(faults.length, 1);
  assert.match(faults[0]?.entry ?? '', /^checkpoint \d+$/);
  assert.equal(checkpoints, 303);
});

test('a time that goes back is found until an operator explains it, and told in every verification', async () => {
  const database = await makeDatabase();
  const deps = archiveDepsOn(database.pool);
  await database.asOwner(atAnyTime);
  const kept = { notes: () => [], leaves: async () => [] };
  const add = async (hours: number) => {
    const of = { advisorId: deployment, kind: 'setting', memberId: null, actor: 'operator', traceId: null } as const;
    const [number = 0] = await insertNumberedEntries(
      deps.db,
      [{ ...of, meta: {}, body: '{}' }],
      new Date(Date.now() + hours * 3_600_000),
    );
    return number;
  };
  const found = async (): Promise<[string, string[], string[][]]> => {
    while (await growTree(deps));
    const { verdict, faults, explained } = await verifyArchive(deps, {
      verifiers: [signer.verifier],
      kept,
      progress: () => {},
    });
    return [verdict, faults.map(({ entry }) => entry), explained.map(({ by, entry }) => [by, entry])];
  };
  await add(0);
  const wrong = await add(-1);
  const named = `entry ${wrong} of advisor 0`;
  assert.deepEqual(await found(), ['altered', [named], []]);
  const because = { advisorId: deployment, from: wrong, to: wrong, reason: 'The clock was an hour ahead' };
  // Nothing proves who signed in.
  await explainTimes(deps, because, byCommand(1));
  assert.deepEqual(await found(), ['altered', [named], []]);
  const { number } = await explainTimes(deps, because, byStaff(1));
  const told = [[`entry ${number} of advisor 0`, named]];
  assert.deepEqual(await found(), ['intact', [], told]);
  const next = await add(-1);
  assert.deepEqual(await found(), ['altered', [`entry ${next} of advisor 0`], told]);
  await database.asOwner(`alter table archive_entries disable trigger append_only`);
  await database.asOwner(`update archive_entries set meta = '{"a":1}' where number = $1 and advisor_id = 0`, [wrong]);
  const [verdict, faults] = await found();
  assert.equal(verdict, 'altered');
  assert.ok(faults.includes(named));
  await database.drop();
});
