import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { Visitor } from '../support/visitor.ts';
import { makeWorld, type World } from '../support/world.ts';

const host = 'localhost:8080';

suite('the link to the demonstration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-demonstration-'));
  let world: World;
  before(async () => {
    world = await makeWorld({ env: { ASSENT_DATA_DIR: folder } });
    await writeSandboxFile({ ...world.deps, config: world.config });
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  test('signs in as the first advisor of the sandbox, and keeps whoever is signed in', async () => {
    const visitor = new Visitor(world.app, { headers: { host } });
    assert.equal((await visitor.get('/demonstration')).location, '/app/demonstration');
    assert.equal((await visitor.get('/app/api/session')).body.advisor.name, 'Avery Quinn');
    const blake = new Visitor(world.app, { headers: { host } });
    const page = await blake.get('/sign-in');
    const [, advisorId = ''] = /value="(\d+)">Blake Rivera/.exec(page.body) ?? [];
    await blake.submit(page, '/sign-in/sandbox', { advisorId });
    assert.equal((await blake.get('/demonstration')).location, '/app/demonstration');
    assert.equal((await blake.get('/app/api/session')).body.advisor.name, 'Blake Rivera');
  });

  test('signs nobody in for another site, or under another name of this machine', async () => {
    const foreign = [
      { host, 'sec-fetch-site': 'cross-site' },
      { host, 'sec-fetch-site': 'same-site' },
      { host: 'evil.example:8080' },
    ];
    for (const headers of foreign) {
      const visitor = new Visitor(world.app, { headers: headers as Record<string, string> });
      assert.equal((await visitor.get('/demonstration')).location, '/sign-in?next=/app/demonstration');
      assert.equal((await visitor.get('/app/api/session')).status, 401);
    }
  });

  test('is on the home page, before everything else that one can do', async () => {
    const { body } = await new Visitor(world.app, { headers: { host } }).get('/');
    const [, first] = /<main[^>]*>[\s\S]*?<a [^>]*href="([^"]+)"/.exec(body) ?? [];
    assert.equal(first, '/demonstration');
  });
});
