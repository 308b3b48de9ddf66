import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { clean } from '../../src/cli/sandbox/clean.ts';
import {
  clusterFolder,
  describeLeftovers,
  listLeftovers,
  noteDataFolder,
  shortHash,
} from '../../src/store/database/cluster-folders.ts';

suite('where the embedded PostgreSQL’s files are', () => {
  let folder: string;
  /** Instead of /var/lib/assent. */
  let home: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assent-clusters-'));
    home = join(folder, 'home');
    mkdirSync(home);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A data folder whose cluster an earlier version put into `home`. */
  function earlier(name: string): { dataDir: string; path: string; cluster: string } {
    const dataDir = join(folder, name);
    const path = join(home, shortHash(dataDir));
    const cluster = join(path, 'postgres');
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(cluster, 'data'), Buffer.alloc(3_000_000, 1));
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'sandbox.json'), '{}');
    return { dataDir, path, cluster };
  }

  function cleaned(...given: string[]) {
    const records: Record<string, unknown>[] = [];
    const notes: string[] = [];
    const out = {
      exitCode: 0,
      line: () => {},
      progress: () => {},
      records: (rows: Record<string, unknown>[]) => void records.push(...rows),
      note: (text: string) => void notes.push(text),
    };
    clean({ switches: new Set(given), out }, home);
    return { records, notes: notes.join('\n') };
  }

  test('in the data folder', () => {
    assert.equal(clusterFolder(join(folder, 'new'), home), join(folder, 'new/postgres'));
  });

  test('where an earlier version put them, as long as that data folder is there', () => {
    const { dataDir, cluster } = earlier('kept');
    assert.equal(clusterFolder(dataDir, home), cluster);
    noteDataFolder(dataDir, home);
    assert.deepEqual(listLeftovers(home), []);
    rmSync(dataDir, { recursive: true });
    assert.equal(clusterFolder(dataDir, home), join(dataDir, 'postgres'));
    mkdirSync(dataDir);
    assert.equal(clusterFolder(dataDir, home), join(dataDir, 'postgres'), 'a sandbox that is made anew is empty');
  });

  test('files that no data folder uses are named with their size', () => {
    assert.equal(describeLeftovers(listLeftovers(home)), null);
    const gone = earlier('gone');
    noteDataFolder(gone.dataDir, home);
    rmSync(gone.dataDir, { recursive: true });
    const unknown = earlier('unknown');
    mkdirSync(join(home, 'postgresql-18.4.0'));
    const found = Object.fromEntries(listLeftovers(home).map(({ path, dataDir }) => [path, dataDir]));
    assert.deepEqual(found, { [gone.path]: gone.dataDir, [unknown.path]: null });
    for (const { bytes } of listLeftovers(home)) assert.ok(bytes >= 3_000_000 && bytes < 4_000_000, `${bytes}`);
    assert.equal(
      describeLeftovers(listLeftovers(home)),
      `${home} has 2 folders of PostgreSQL’s files that no data folder is known to use: 7 MB`,
    );
  });

  test('`assent sandbox clean` lists them, and only with --yes removes those whose data folder is gone', () => {
    const gone = earlier('gone');
    noteDataFolder(gone.dataDir, home);
    rmSync(gone.dataDir, { recursive: true });
    const [unknown, kept] = [earlier('unknown'), earlier('kept')];
    noteDataFolder(kept.dataDir, home);

    const listed = cleaned();
    assert.match(listed.notes, /Nothing was removed.*--yes/);
    assert.deepEqual(
      listed.records.map(({ path, removed }) => [path, removed]).sort(),
      [
        [gone.path, false],
        [unknown.path, false],
      ].sort(),
    );
    assert.ok(existsSync(gone.cluster));

    const removed = cleaned('yes');
    assert.match(removed.notes, /didn’t note the data folder/);
    assert.deepEqual(
      [gone, unknown, kept].map(({ cluster }) => existsSync(cluster)),
      [false, true, true],
    );
    assert.deepEqual(
      cleaned('yes').records.map(({ path }) => path),
      [unknown.path],
    );
  });
});
