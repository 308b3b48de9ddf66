import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/commands.ts';
import type { CommandResult } from '../support/programs.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('assent content', () => {
  let world: World;
  let folder: string;

  before(async () => {
    world = await makeWorld();
    folder = mkdtempSync(join(tmpdir(), 'assent-content-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand(['content', ...args], { DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });

  const listUrls = async (firmId: number | null) => {
    const items = await world.database.asOwner<{ url: string }>(
      `select url from content_items where status = 'published' and firm_id is not distinct from $1 order by url`,
      [firmId],
    );
    return items.map(({ url }) => url);
  };

  test('import reads JSON lines and CSV, reports refused lines, and changes nothing when run again', async () => {
    const file = join(folder, 'content.ndjson');
    const line = (title: string, more = {}) =>
      JSON.stringify({ type: 'WebContent', title, url: `https://firm.example/${title}`, ...more });
    const lines = [line('one'), line('two', { type: 'Emails', keywords: 'a; b', dateTimePublished: '2026-03-01' })];
    const bad = ['nonsense', line('three', { type: 'Scroll' }), line('four', { url: 'ftp://firm.example/' }), line('')];
    writeFileSync(file, [...lines, ...bad].join('\n'));
    const first = await run('import', file);
    assert.equal(first.status, 1, 'some lines were refused');
    assert.match(first.stderr, /Added 2, changed 0, unchanged 0, refused 4\./);
    assert.match(first.stdout, /^line 3: refused: it is not JSON\nline 4: refused: type must be one of WebContent/);
    assert.match(first.stdout, /\nline 5: refused: url .*\nline 6: refused: title .*\n$/);

    writeFileSync(file, [line('one', { summary: 'New' }), lines[1]].join('\n'));
    const second = await run('import', file);
    assert.equal(second.status, 0, second.stderr);
    assert.equal(second.stdout, '');
    assert.match(second.stderr, /Added 0, changed 1, unchanged 1, refused 0\./);

    const firmId = world.ann.advisor.firmId;
    writeFileSync(join(folder, 'content.csv'), 'Type,Title,Link\nPrint,Flyer,https://firm.example/flyer\n');
    const third = await run('import', join(folder, 'content.csv'), '--firm', String(firmId));
    assert.match(third.stderr, /Added 1, changed 0, unchanged 0, refused 0\./);
    assert.deepEqual(await listUrls(firmId), ['https://firm.example/flyer']);
    assert.deepEqual(await listUrls(null), ['https://firm.example/one', 'https://firm.example/two']);
  });

  test('a file of an unknown format exits 2, with one line', async () => {
    const page = join(folder, 'page.html');
    writeFileSync(page, '<html>');
    const { status, stdout, stderr } = await run('import', page);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /neither \.ndjson nor \.csv/);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });
});
