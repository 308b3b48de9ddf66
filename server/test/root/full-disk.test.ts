import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { openCheckpointFolder } from '../../src/adapters/checkpoints/folder.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { copyCheckpoints } from '../../src/domain/archive/checkpoint-copies.ts';
import type { EmbeddedPostgres } from '../../src/store/database/embedded.ts';
import { migrate } from '../../src/store/database/schema/migrate.ts';
import { signer } from '../archive/small-archive.ts';
import { assertProblem } from '../support/problem.ts';
import { startTemporary } from '../support/temporary-postgres.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
const megabytes = 96;
/** `/readyz` looks once a second. */
const waitMs = 60_000;
const template = 'assent_test_template';

/** A disk of a few megabytes. Null where it can’t be mounted. */
function mountSmallDisk() {
  const path = mkdtempSync(join(tmpdir(), 'assent-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'tmpfs', path]).status === 0;
  const ballast = join(path, 'ballast');
  const remove = () => {
    if (mounted) spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  if (!mounted) remove();
  return mounted
    ? {
        path,
        remove,
        fill: () => assert.throws(() => writeFileSync(ballast, Buffer.alloc(megabytes * 2 ** 20)), { code: 'ENOSPC' }),
        free: () => rmSync(ballast),
      }
    : null;
}

const disk = mountSmallDisk();
const skip = disk ? false : 'a small disk can’t be mounted here';
after(() => disk?.remove());

async function administer(administration: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: administration });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

suite('a full disk', { skip }, () => {
  let postgres: EmbeddedPostgres;
  let world: World;
  before(async () => {
    assert.ok(disk);
    // Its own: a full disk also stops PostgreSQL's checkpoints, which other test files wait for.
    postgres = await startTemporary();
    const administration = postgres.url('postgres');
    const { uid, gid } = statSync(new URL(administration).searchParams.get('host') ?? '');
    chownSync(disk.path, uid, gid);
    await administer(administration, `create tablespace small_disk location '${disk.path}'`);
    await administer(administration, `create database ${template}`);
    await migrate(postgres.url(template));
    world = await makeWorld({ database: { tablespace: 'small_disk', server: { administration, template } } });
  });
  after(async () => {
    await world?.close();
    await postgres?.stop();
  });

  const ready = async () => (await inject(world.app, { method: 'GET', url: '/readyz' })).status;
  const create = (lastName: string) => world.ann.call('POST', contacts, { firstName: 'Full', lastName, notes: 'x' });
  const stored = () => world.database.asOwner<{ lastName: string }>('select last_name as "lastName" from contacts');

  test('is 502, and not ready even before the first write fails; both recover on their own', async () => {
    const phone = await acceptedPhone(world, world.ann);
    assert.equal(await ready(), 200);
    disk?.fill();
    await until('it is not ready', async () => (await ready()) === 503, waitMs);
    const kept = new Set((await stored()).map(({ lastName }) => lastName));
    let refused = 0;
    for (let count = 0; refused < 5 && count < 2_000; count += 1) {
      const name = `Name${count}`;
      const answer = await create(name);
      if (answer.status === 200) kept.add(name);
      else {
        assertProblem(answer, 'downstream_unavailable', /can’t store anything now; nothing was done/);
        refused += 1;
      }
    }
    assert.equal(refused, 5);
    assert.equal(await ready(), 503);
    assert.equal((await world.ann.call('GET', contacts)).status, 200, 'reads are answered');
    assert.deepEqual(new Set((await stored()).map(({ lastName }) => lastName)), kept, 'each 200 is kept, no 502 is');

    disk?.free();
    await until('it is ready', async () => (await ready()) === 200, waitMs);
    assert.equal((await create('Afterwards')).status, 200);
    assert.equal((await send(world.ann, { phone, text: 'Hello' })).body.successes.length, 1);
  });

  test('that checkpoints are copied to leaves a folder that the next copy completes', async () => {
    assert.ok(disk);
    const checkpointFolder = openCheckpointFolder(disk.path);
    const deps = { ...world.deps, signer, checkpointFolder };
    await growTree(deps);
    disk.fill();
    await assert.rejects(copyCheckpoints(deps), /ENOSPC|could be appended/);
    disk.free();
    await copyCheckpoints(deps);
    const [last, count] = [await checkpointFolder.last(), await checkpointFolder.leafCount()];
    assert.ok(last && last.size > 0);
    assert.equal(count, last.size);
  });
});
