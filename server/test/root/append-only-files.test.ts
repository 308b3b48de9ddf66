import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCheckpointFolder } from '../../src/adapters/checkpoints/folder.ts';
import { leavesFrom, noteOf } from '../archive/kept-leaves.ts';

test('copies of checkpoints need no more than an append-only file system', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'assent-checkpoints-'));
  t.after(() => rmSync(path, { recursive: true }));
  const folder = openCheckpointFolder(path);
  await folder.append(leavesFrom(0, 2), [noteOf(2)]);
  const attributed = [path, join(path, 'leaves'), join(path, 'checkpoints')];
  if (spawnSync('chattr', ['+a', ...attributed]).status !== 0) return t.skip('files can’t be made append-only here');
  try {
    assert.throws(() => truncateSync(join(path, 'leaves')), { code: 'EPERM' });
    appendFileSync(join(path, 'leaves'), '2 7/3 cut sho');
    await folder.append(leavesFrom(2, 2), [noteOf(4)]);
    assert.deepEqual(await folder.leaves(0, 4), leavesFrom(0, 4));
    assert.equal((await folder.last())?.size, 4);
  } finally {
    spawnSync('chattr', ['-a', ...attributed]);
  }
});
