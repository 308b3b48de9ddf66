import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { pushedTypes } from '../../src/domain/webhooks/pushed-events.ts';
import { commandsWith } from '../support/commands.ts';
import { type Deployment, launchCommand, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { makeReceiver, type Receiver } from '../webhooks/receiver.ts';

/** An `assent listen` as a process of its own, and what it printed. */
type Listening = { child: ChildProcess; lines: string[]; ended: Promise<number | null> };

suite('assent listen and assent trigger', () => {
  let deployment: Deployment;
  let server: Program;
  let receiver: Receiver;
  let secret = '';
  before(async () => {
    deployment = await makeDeployment();
    server = await startServer(deployment.env);
    receiver = await makeReceiver(() => secret);
  });
  after(async () => {
    await receiver.close();
    await server?.stop();
    await deployment.remove();
  });

  const { run, records, refused } = commandsWith(() => deployment.env);
  const endpoints = async () => (await records(['webhooks', 'list'])) as { url: string; types: string[] }[];

  /** Once it has printed its secret. */
  async function listen(...options: string[]): Promise<Listening> {
    const child = launchCommand(
      ['listen', '--forward-to', receiver.url.slice('http://'.length), ...options],
      deployment.env,
    );
    const lines: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trimEnd().split('\n')));
    const ended = once(child, 'exit').then(([code]) => code);
    await until('the secret is printed', () => lines.length > 0);
    [secret = ''] = lines;
    return { child, lines, ended };
  }

  test('every type can be triggered, and reaches the address with its status', async () => {
    const listed = (await records(['trigger'])).map(({ type }: { type: string }) => type);
    assert.deepEqual(listed.toSorted(), pushedTypes.toSorted());
    const { child, lines, ended } = await listen();
    assert.match(secret, /^whsec_/);
    for (const type of listed) {
      const { status, stderr } = await run(['trigger', type]);
      assert.equal(status, 0, stderr);
      await until(`${type} is shown`, () => lines.some((line) => line.includes(`  200  ${type}  `)));
    }
    for (const type of listed) assert.ok(receiver.accepted.some(({ body }) => body.type === type));
    // Everything is as before: it can be triggered again.
    assert.equal((await run(['trigger', 'message.status'])).status, 0);
    child.kill('SIGINT');
    assert.equal(await ended, 0);
    assert.deepEqual(await endpoints(), []);
  });

  test('shows what fails and why, only the types that it asked for, and ends with its terminal', async () => {
    receiver.answer = () => 503;
    const { child, lines, ended } = await listen('--types', 'webhook.test');
    assert.deepEqual((await endpoints())[0]?.types, ['webhook.test']);
    await run(['trigger', 'message.received']);
    await run(['trigger', 'webhook.test']);
    await until('it is shown', () => lines.length > 1);
    assert.match(lines[1] ?? '', /503 {2}webhook\.test {2}evt_test_\S+ {2}\d+ ms {2}not now$/);
    assert.equal(lines.length, 2);
    receiver.answer = () => 200;
    child.kill('SIGHUP');
    assert.equal(await ended, 0);
    assert.deepEqual(await endpoints(), []);
  });

  test('ends when nobody reads what it prints', async () => {
    const { child, ended } = await listen();
    child.stdout?.destroy();
    await run(['trigger', 'webhook.test']);
    await ended;
    assert.deepEqual(await endpoints(), []);
  });

  test('after kill -9 it lapses, unless the next one takes its place before', async () => {
    const killed = await listen();
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.equal((await endpoints()).length, 1);
    const next = await listen();
    assert.equal((await endpoints()).length, 1);
    next.child.kill('SIGKILL');
    await next.ended;
    await deployment.database.asOwner('update webhooks set listened_until = now()');
    const before = receiver.came.length;
    await run(['trigger', 'message.received']);
    const last = await listen();
    await run(['trigger', 'webhook.test']);
    await until('a test comes', () => receiver.came.length > before);
    assert.deepEqual(
      receiver.came.slice(before).map(({ body }) => body.type),
      ['webhook.test'],
    );
    last.child.kill();
    await last.ended;
  });

  test('says what is wrong', async () => {
    const { clientId } = deployment.folder.sandbox();
    await run(['webhooks', 'add', clientId, receiver.url]);
    await refused(1, [[['listen', '--forward-to', receiver.url], /already/]]);
    await refused(1, [[['listen', '--forward-to', 'https://u:p@partner.example/'], /without a user/]]);
    await run(['webhooks', 'remove', clientId]);
    await refused(1, [[['trigger', 'webhook.test'], /assent listen/]]);
    await refused(2, [
      [['listen'], /--forward-to is required/],
      [['trigger', 'consent'], /Types: consent\.changed/],
      [['listen', '--forward-to', 'localhost:1', '--types', 'x'], /Types: consent\.changed/],
    ]);
    await server.stop();
    await refused(2, [
      [['trigger', 'message.received'], /No sandbox answers at http:\/\/localhost:\d+/],
      [['listen', '--forward-to', 'localhost:1'], /No sandbox answers/],
    ]);
  });
});
