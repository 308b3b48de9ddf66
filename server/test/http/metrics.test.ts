import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { anotherNode } from '../support/nodes.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const program = '/usr/bin/promtool';
const skip = existsSync(program) ? false : `there is no ${program}`;
const deploy = (name: string) => join(root, 'deploy', name);
const alerts = readFileSync(deploy('prometheus/alerts.yml'), 'utf8');
const dashboard = readFileSync(deploy('grafana/assent.json'), 'utf8');

suite('metrics, alerts and the dashboard', () => {
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

  function promtool(...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  }

  test('promtool is content with every name in /metrics, before and after traffic', { skip }, async () => {
    assert.deepEqual(await check(), { status: 0, said: '' });
    await world.ann.call('POST', '/text/messaging/messages', { phone: '+15005550006', text: 'Hello' });
    await world.ann.call('GET', '/core/contact/contacts/424242');
    assert.deepEqual(await check(), { status: 0, said: '' });
  });

  test('promtool is content with the alerts, which do what their tests say', { skip }, () => {
    promtool('check', 'rules', deploy('prometheus/alerts.yml'));
    promtool('test', 'rules', deploy('prometheus/alerts.test.yml'));
  });

  test('alerts and the dashboard use only metrics that there are', async () => {
    const names = new Set([...(await metricsOf(world)).matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
    const used = `${expressionsIn(alerts)}\n${dashboard}`.matchAll(/\b(?:assent|nodejs|process)_[a-z0-9_]+/g);
    const missing = [...used].map(([name]) => name.replace(/_bucket$/, '')).filter((name) => !names.has(name));
    assert.deepEqual([...new Set(missing)], []);
    assert.ok(names.size > 30);
  });

  test('every alert has a test, a severity and a place in the operator’s guide', () => {
    const tested = readFileSync(deploy('prometheus/alerts.test.yml'), 'utf8');
    const guide = readFileSync(join(root, 'docs/operators/monitoring.md'), 'utf8');
    const [, ...rules] = alerts.split(/^ +- alert: /m);
    for (const rule of rules) {
      const [name = ''] = rule.split('\n');
      const [, anchor = ''] = /runbook: docs\/operators\/monitoring\.md#(\S+)/.exec(rule) ?? [];
      assert.match(sectionOf(guide, anchor), new RegExp(`\`${name}\``), `${name} has no section ${anchor}`);
      assert.match(rule, /severity: (critical|warning)/, name);
      const fires = new RegExp(`alertname: ${name}\n +exp_alerts:\n +- exp_labels`);
      assert.match(tested, fires, `${name} has no test in which it fires`);
    }
    assert.ok(rules.length > 10);
  });
});

/** Of a process that hands texts to a carrier. */
async function metricsOf(world: World): Promise<string> {
  const carrier = { name: 'main', lastFault: null, inFlight: 0, misroutedReplies: 0, carrier: null };
  const app = await anotherNode(world, { carrierStatuses: async () => [carrier] });
  try {
    return (await inject(app, { method: 'GET', url: '/metrics' })).body;
  } finally {
    await app.close();
  }
}

/** The rules without their texts for people. */
function expressionsIn(text: string): string {
  return text.replaceAll(/^ +(summary|runbook|- alert):.*$/gm, '');
}

/** The part of the page under the heading with that anchor. */
function sectionOf(page: string, anchor: string): string {
  const sections = page.split(/^(?=### )/m);
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z ]/g, '')
      .trim()
      .replaceAll(' ', '-');
  return sections.find((section) => anchorOf(section.split('\n')[0] ?? '') === anchor) ?? '';
}
