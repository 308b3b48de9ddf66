import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { inject, makeWorld, type World } from '../support/world.ts';

const program = '/usr/bin/promtool';
const skip = existsSync(program) ? false : `there is no ${program}`;

suite('promtool', { skip }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  async function check(): Promise<{ status: number | null; said: string }> {
    const { body } = await inject(world.app, { method: 'GET', url: '/metrics' });
    const { status, stdout, stderr } = spawnSync(program, ['check', 'metrics'], { input: body, encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  test('is content with every name in /metrics, before and after traffic', async () => {
    assert.deepEqual(await check(), { status: 0, said: '' });
    await world.ann.call('POST', '/text/messaging/messages', { phone: '+15005550006', text: 'Hello' });
    await world.ann.call('GET', '/core/contact/contacts/424242');
    assert.deepEqual(await check(), { status: 0, said: '' });
  });
});
