import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findBrowser } from '../support/browser.ts';

test('browser tests use any Chromium or Chrome: the one in CHROME_PATH, or one on the PATH', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-browsers-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const PATH = `${one}:${two}`;
  const add = (path: string, mode = 0o755) => {
    writeFileSync(path, '');
    chmodSync(path, mode);
    return path;
  };
  for (const each of [one, two]) mkdirSync(each);
  add(join(one, 'chromium'), 0o644);
  assert.equal(findBrowser({ PATH }), undefined, 'a file that can’t be run is none');
  for (const name of ['google-chrome', 'chromium', 'chromium-headless-shell']) {
    const added = add(join(two, name));
    assert.equal(findBrowser({ PATH }), added, 'of several the one that takes the least CPU time');
  }
  assert.equal(findBrowser({ PATH, CHROME_PATH: '/opt/chrome' }), '/opt/chrome');
});
