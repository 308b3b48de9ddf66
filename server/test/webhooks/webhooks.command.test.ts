import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { commandsWith } from '../support/commands.ts';
import { credentialsKey, makeWorld, type World } from '../support/world.ts';
import { makeReceiver, type Receiver } from './receiver.ts';

suite('assent webhooks', () => {
  let world: World;
  let receiver: Receiver;
  let folder: string;
  let secret = '';
  before(async () => {
    world = await makeWorld({ dispatch: false });
    receiver = await makeReceiver(() => secret);
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
  });
  after(async () => {
    await receiver.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({
    DATABASE_URL: world.database.url,
    ASSENT_DATA_DIR: folder,
    CREDENTIALS_KEY: credentialsKey,
  });
  const { run, records, refused } = commandsWith(env);

  /** The only line of a verb's output. */
  async function line(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await run(args);
    assert.equal(status, 0, stderr);
    return stdout.trimEnd();
  }

  test('sets one and prints its secret, tests it, shows what came back, and sends it again', async () => {
    const { clientId } = world;
    secret = await line('webhooks', 'set', clientId, receiver.url);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const [tested] = await records(['webhooks', 'test', clientId]);
    assert.deepEqual([tested.type, tested.status, tested.response], ['webhook.test', 200, 'thanks']);
    await records(['webhooks', 'redeliver', clientId, tested.eventId]);
    const deliveries = await records(['webhooks', 'deliveries', clientId]);
    assert.deepEqual(
      deliveries.map(({ eventId, attempt, status }: Record<string, unknown>) => [eventId, attempt, status]),
      [
        [tested.eventId, 2, 200],
        [tested.eventId, 1, 200],
      ],
    );
    assert.equal((await records(['webhooks', 'deliveries', clientId, '--limit', '1'])).length, 1);
    const [shown] = await records(['webhooks', 'list']);
    assert.deepEqual([shown.clientId, shown.url, shown.status], [clientId, receiver.url, 'on']);
  });

  test('exits 1 if the endpoint doesn’t take it, and says what it answered', async () => {
    receiver.answer = () => 503;
    const { status, stdout } = await run(['webhooks', 'test', world.clientId]);
    assert.equal(status, 1);
    assert.match(stdout, /503.*not now/);
    receiver.answer = () => 200;
  });

  test('rotates the secret and disables the webhook, which the list shows', async () => {
    const { clientId } = world;
    const old = secret;
    secret = await line('webhooks', 'rotate', clientId);
    assert.notEqual(secret, old);
    assert.equal((await records(['webhooks', 'test', clientId]))[0].status, 200);
    await run(['secrets', 'reseal']);
    assert.equal((await records(['webhooks', 'test', clientId]))[0].status, 200);
    await run(['webhooks', 'disable', clientId]);
    const [shown] = await records(['webhooks', 'list']);
    assert.equal(shown.status, 'off');
    assert.match(shown.reason, /by the operator/);
  });

  test('adds, lists and removes further ones, each with the types that it asks for', async () => {
    const { clientId } = world;
    const [first, second] = [receiver.url, 'https://partner.example/second'];
    const added = await line('webhooks', 'add', clientId, second, '--types', 'consent.changed, message.status');
    assert.match(added, /^whsec_/);
    assert.notEqual(added, secret);
    await run(['webhooks', 'enable', clientId, first]);
    const listed = await records(['webhooks', 'list']);
    assert.deepEqual(
      listed.map(({ url, types, status }: Record<string, unknown>) => [url, types, status]),
      [
        [first, 'all', 'on'],
        [second, ['consent.changed', 'message.status'], 'on'],
      ],
    );
    const [tested] = await records(['webhooks', 'test', clientId, first]);
    assert.deepEqual([tested.status, tested.url], [200, first]);
    assert.equal((await records(['webhooks', 'redeliver', clientId, tested.eventId, first]))[0].attempt, 2);
    await refused(1, [
      [['webhooks', 'set', clientId, first], /has 2 webhooks/],
      [['webhooks', 'test', clientId], /several webhooks[\s\S]*partner\.example\/second/],
      [['webhooks', 'add', clientId, first], /already/],
    ]);
    await refused(2, [
      [
        ['webhooks', 'add', clientId, 'https://x.example/', '--types', 'consent'],
        /no event type "consent".*message\.received/,
      ],
      [['webhooks', 'add', clientId, 'https://x.example/', '--types', ''], /Types: consent\.changed/],
      [['webhooks', 'remove'], /usage: assent webhooks remove CLIENT-ID \[URL\]/],
      [['webhooks', 'test', clientId, first, 'more'], /usage/],
    ]);
    assert.equal((await run(['webhooks', 'remove', clientId, second])).status, 0);
    assert.deepEqual((await records(['webhooks', 'list'])).length, 1);
    secret = await line('webhooks', 'set', clientId, receiver.url, '--types', 'contact.created');
    assert.deepEqual((await records(['webhooks', 'list']))[0].types, ['contact.created']);
  });

  test('says what is wrong with an address, an application or an event', async () => {
    const { clientId } = world;
    await refused(1, [
      [['webhooks', 'set', clientId, 'http://partner.example/'], /must begin with https/],
      [['webhooks', 'set', 'app_x', receiver.url], /app_x|application/],
      [['webhooks', 'redeliver', clientId, 'evt_1_1'], /no event evt_1_1/],
    ]);
  });
});
