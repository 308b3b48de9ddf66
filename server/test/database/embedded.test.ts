import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isEmbeddedRunning, startEmbedded } from '../../src/store/database/embedded.ts';
import { watchSharedHome } from '../support/shared-home.ts';
import { carelessSettings, startTemporary } from '../support/temporary-postgres.ts';

test('an embedded PostgreSQL is found while it runs', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assent-embedded-'));
  context.after(() => rmSync(dataDir, { recursive: true }));
  chmodSync(dataDir, 0o711);
  assert.equal(isEmbeddedRunning(dataDir), false);
  const embedded = await startEmbedded(dataDir, () => {}, carelessSettings);
  assert.equal(isEmbeddedRunning(dataDir), true);
  await embedded.stop();
  assert.equal(isEmbeddedRunning(dataDir), false);
});

test('a temporary one leaves nothing behind', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-embedded-'));
  context.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o711);
  const sharedHome = watchSharedHome();
  const embedded = await startTemporary(folder);
  assert.equal(readdirSync(folder).length, 1);
  await embedded.stop();
  assert.deepEqual([...readdirSync(folder), ...sharedHome.added()], []);
});
