import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { lookUpDue } from '../../src/domain/address-book/crm-lookups.ts';
import { type ScriptedServer, startScriptedServer } from '../adapters/crm/scripted-server.ts';
import { commandsWith } from '../support/commands.ts';
import { newPhone, send } from '../support/texting.ts';
import { credentialsKey, makeWorld, type World } from '../support/world.ts';
import { search } from './address-book.ts';

suite('assent crm', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  let world: World;
  let server: ScriptedServer;
  let folder: string;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
    server = await startScriptedServer();
    server.answers = ({ headers, body }, response) => {
      const { phone } = JSON.parse(body).data;
      const text = JSON.stringify({ contacts: [{ remoteContactId: '8051', firstName: 'Ann', phone }] });
      const id = String(headers['webhook-id']);
      const now = new Date();
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, now, text),
        })
        .end(text);
    };
  });
  after(async () => {
    await server.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const { run, records, refused } = commandsWith(() => ({
    DATABASE_URL: world.database.url,
    ASSENT_DATA_DIR: folder,
    CREDENTIALS_KEY: credentialsKey,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  }));
  const advisor = ['--advisor', 'ann@test.example'];
  const connect = (stdin: string, ...more: string[]) =>
    run(['crm', 'connect', ...advisor, '--url', server.url, ...more], stdin);

  test('connects one with a new secret, which it prints once and doesn’t check', async () => {
    const { status, stderr } = await connect('');
    assert.equal(status, 0, stderr);
    assert.match(stderr, /shown only this once:\nwhsec_[A-Za-z0-9+/]{43}=\n/);
    assert.equal(server.asked.length, 0);
    const [listed] = await records(['crm', 'list']);
    assert.deepEqual(
      [listed.advisorId, listed.url, listed.waitingLookups],
      [world.ann.advisor.advisorId, server.url, 0],
    );
  });

  test('refuses one that doesn’t answer with the given secret, unless told not to check', async () => {
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const { status, stderr } = await connect(other, '--secret-stdin');
    assert.equal(status, 1);
    assert.match(stderr, /The CRM can’t be used: The signature of its response is wrong/);
    assert.ok(!stderr.includes(other));
    assert.equal((await connect(other, '--secret-stdin', '--no-check')).status, 0);
  });

  test('connects one that answers, and a number that texting makes known is looked up there', async () => {
    const { status, stderr } = await connect(secret, '--secret-stdin');
    assert.equal(status, 0, stderr);
    await run(['secrets', 'reseal']);
    const phone = newPhone();
    assert.equal((await send(world.ann, { phone, text: 'Hello' })).status, 200);
    assert.equal((await records(['crm', 'show', ...advisor]))[0].waitingLookups, 1);
    await lookUpDue(world.deps, ({ message }) => assert.fail(message));
    const { data } = await search(world.ann, '/core/contact/contacts', { phone });
    assert.deepEqual(
      [data[0].fullName, data[0].remoteContactId, data[0].sourceText, data[0].isCrmLinkedContact],
      ['Ann', '8051', 'HTTPS lookup', true],
    );
  });

  test('disconnects it; the advisor then has none, and its contacts stay', async () => {
    assert.equal((await run(['crm', 'disconnect', ...advisor, '--yes'])).status, 0);
    assert.deepEqual(await records(['crm', 'list']), []);
    const { data } = await search(world.ann, '/core/contact/contacts', { remoteContactId: '8051' });
    assert.equal(data[0].isCrmLinkedContact, true);
    await refused(1, [
      [['crm', 'show', ...advisor], /no CRM connected/],
      [['crm', 'disconnect', ...advisor, '--yes'], /no CRM connected/],
      [['crm', 'show', '--advisor', 'nobody@test.example'], /nobody@test\.example/],
    ]);
    await refused(2, [[['crm', 'connect', ...advisor], /--url/]]);
  });
});
