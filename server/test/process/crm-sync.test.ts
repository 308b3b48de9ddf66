import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { runCommand } from '../support/commands.ts';
import { isQuiet } from '../support/database.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { type Radicale, skip, startRadicale, vcard } from '../support/radicale.ts';
import { commandPollMs, until } from '../support/waiting.ts';

/**
 * Three address books. A check asks all of them for one number and must take less than ten seconds, on a busy machine, too.
 * `CRM_CARDS=10000 npm test server/test/process/crm-sync.test.ts` tries a large CRM.
 */
const cards = Number(process.env.CRM_CARDS ?? 1_500);
const advisor = ['--advisor', 'devon@sandbox.example'];
const syncMs = 60_000;

suite(`a CRM with ${cards} contacts`, { skip }, () => {
  let deployment: Deployment;
  let env: Record<string, string>;
  let radicale: Radicale;
  let server: Program;
  let token = '';
  before(async () => {
    deployment = await makeDeployment();
    env = { ...deployment.env, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
    // Longer than the test holds a batch back.
    const patient = { ...env, DATABASE_TIMEOUT_MS: String(10 * syncMs) };
    [radicale, server] = await Promise.all([startRadicale({ cards }), startServer(patient)]);
    token = (await run(['token', ...advisor])).stdout.trim();
  });
  after(async () => {
    await server?.stop();
    await radicale?.stop();
    await deployment?.remove();
  });

  const run = (args: string[], stdin?: string) => runCommand(args, env, stdin);

  async function call(path: string, init: RequestInit = {}) {
    const headers = {
      authorization: `Bearer ${token}`,
      'x-api-key': deployment.folder.sandbox().apiKey,
      'content-type': 'application/json',
    };
    const answer = await server.fetch(`/v1${path}`, { ...init, headers });
    // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
    return answer.status === 204 ? null : (answer.json() as Promise<any>);
  }

  async function inBook(query = ''): Promise<number> {
    return (await call(`/core/contact/contacts?pageSize=1${query}`)).pageInfo.totalRecord;
  }

  async function byRemoteId(id: string) {
    const { data } = await call(`/core/contact/contacts?remoteContactId=${id}`);
    assert.equal(data.length, 1, id);
    return call(`/core/contact/contacts/${data[0].contactId}`);
  }

  async function lastSync() {
    const { stdout } = await run(['crm', 'show', ...advisor, '--json']);
    return JSON.parse(stdout)[0].syncs[0];
  }

  /** However busy the machine is, the sync isn't over before the test has seen its first batch: the next one waits. */
  async function holdAllButOneBatch(): Promise<{ letGo(): Promise<void> }> {
    const { asOwner, url } = deployment.database;
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    await asOwner(`
      create function wait_for_test() returns trigger language plpgsql security definer as $$
      begin
        if exists (select from crm_syncs where added > 0) then perform pg_advisory_xact_lock(1); end if;
        return null;
      end $$;
      create trigger wait_for_test before insert on contacts for each statement execute function wait_for_test()`);
    return {
      async letGo() {
        await holder.end();
        await until('nothing is written any more', () => isQuiet(deployment.database));
        await asOwner('drop trigger wait_for_test on contacts; drop function wait_for_test');
      },
    };
  }

  async function sync() {
    const { status, stdout, stderr } = await run(['crm', 'sync', ...advisor]);
    assert.equal(status, 0, stderr);
    return { stdout, stderr };
  }

  test('is synced once connected; if the server is killed midway, the next one finishes, without duplicates', async () => {
    const options = ['--kind', 'carddav', '--url', radicale.url, '--username', radicale.username, '--secret-stdin'];
    const held = await holdAllButOneBatch();
    // The check may take ten seconds, which a busy machine may need for three books; what Radicale has read is quick the next time.
    let said = '';
    const isConnected = async () => {
      const { status, stderr } = await run(['crm', 'connect', ...advisor, ...options], radicale.password);
      said = stderr;
      assert.ok(status === 0 || /canceled before it was done|took longer/.test(said), said);
      return status === 0;
    };
    await until('the CRM is connected', isConnected, 2 * syncMs).catch((error) => assert.fail(`${error} ${said}`));
    await until('some contacts are in the book', async () => (await inBook()) > 0, syncMs);
    await server.stop('SIGKILL');
    await held.letGo();
    const [{ atRestart } = { atRestart: 0 }] = await deployment.database.asOwner<{ atRestart: number }>(
      `select count(*)::integer as "atRestart" from contacts join advisors using (advisor_id)
       where email = 'devon@sandbox.example'`,
    );
    assert.ok(atRestart > 0 && atRestart < cards, `${atRestart} contacts when it was killed`);
    // As if the dead server's lease of ten seconds had expired.
    await deployment.database.asOwner('update crm_connections set syncing_until = now()');
    server = await startServer({ ...env, PORT: String(server.port) });
    await until('the sync has succeeded', async () => (await lastSync()).status === 'succeeded', syncMs, commandPollMs);
    assert.equal(await inBook(), cards);
    const { added, unchanged } = await lastSync();
    assert.equal(added + unchanged, cards);
    assert.ok(unchanged >= atRestart, 'contacts that were there are not read again');
    const contact = await byRemoteId('card-1234');
    assert.equal(contact.firstName, 'Person');
    assert.equal(contact.phone, '+12122001234');
    assert.equal(contact.sourceText, 'CardDAV');
    assert.equal(contact.isCrmLinkedContact, true);
    assert.match(contact.remoteContactUrl, /^http:.*\/card-1234\.vcf$/);
  });

  test('brings its changes, deletions, conflicts and new cards into the book', async () => {
    const edited = await byRemoteId('card-7');
    await call(`/core/contact/contacts/${edited.contactId}`, {
      method: 'PUT',
      body: JSON.stringify({ lastName: 'Edited' }),
    });
    await radicale.put(
      'card-5',
      vcard('card-5', ['FN:Changed Person', 'N:Person;Changed;;;', 'TEL;TYPE=CELL:+12122000005']),
    );
    await radicale.remove('card-6');
    await radicale.put(
      'card-7',
      vcard('card-7', ['FN:Person There', 'N:There;Person;;;', 'EMAIL:there@example.org', 'TEL:+12122000007']),
    );
    await radicale.put('fresh', vcard('fresh', ['FN:Fresh Face', 'N:Face;Fresh;;;', 'TEL:+12122000008']));
    const { stdout, stderr } = await sync();
    assert.match(
      stderr,
      new RegExp(`Added 1, updated 2, unchanged ${cards - 3}; conflicts 1, duplicates 1, missing 1, refused 0`),
    );
    assert.match(stdout, /conflict: card-7 .*lastName/);
    assert.match(stdout, /missing: card-6 /);
    assert.match(stdout, /duplicate: fresh /);
    assert.equal((await byRemoteId('card-5')).firstName, 'Changed');
    assert.equal((await byRemoteId('card-6')).firstName, 'Person');
    const kept = await byRemoteId('card-7');
    assert.deepEqual([kept.lastName, kept.emailAddress], ['Edited', 'there@example.org']);
    assert.match(
      (await sync()).stderr,
      new RegExp(`Added 0, updated 0, unchanged ${cards}; conflicts 0, duplicates 0, missing 0`),
    );
  });

  test('leaves two contacts with one number, which are merged on request', async () => {
    const listed = await run(['contacts', 'duplicates', ...advisor, '--json']);
    const [{ phone, contactIds }] = JSON.parse(listed.stdout);
    assert.equal(phone, '+12122000008');
    const said = await run(['contacts', 'merge', ...contactIds.map(String), ...advisor, '--yes']);
    assert.equal(said.status, 0, said.stderr);
    assert.equal(await inBook('&phone=%2B12122000008'), 1);
  });

  test('names the contact of a text to a number that only the CRM knows', async () => {
    await radicale.put('unknown', vcard('unknown', ['FN:Una Known', 'N:Known;Una;;;', 'TEL;TYPE=WORK:212.999.0123']));
    const body = JSON.stringify({ phone: '+12129990123', text: 'Hello' });
    await call('/text/messaging/messages', { method: 'POST', body });
    const named = async () => {
      const { data } = await call('/core/contact/contacts?phone=%2B12129990123');
      return data[0].fullName === 'Una Known' && data[0].isCrmLinkedContact;
    };
    await until('the contact has its name', named, syncMs);
  });

  test('shows a failed sync while it is down, and the book stays as it is', async () => {
    await radicale.goDown();
    const { status, stderr } = await run(['crm', 'sync', ...advisor]);
    assert.equal(status, 1);
    assert.match(stderr, /The sync failed: \S/);
    const { reason } = await lastSync();
    assert.ok(reason);
    assert.ok(!stderr.includes(radicale.password) && !reason.includes(radicale.password));
    assert.equal(await inBook(), cards + 1);
  });
});
