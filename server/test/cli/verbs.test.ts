import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { main } from '../../src/cli/main.ts';
import { matchesHash } from '../../src/domain/shared/secrets.ts';
import { commandsWith } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { assent, type CommandResult } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

suite('assent, the operator’s command', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld();
    folder = mkdtempSync(join(tmpdir(), 'assent-cli-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });
  const { run, records, refused } = commandsWith(env);

  test('as a process it reads stdin, prints its answer on stdout, and everything else on stderr', async () => {
    const typed = ['--name', 'Piper', '--email', 'piper@test.example', '--password-stdin', '--json'];
    const [added, token, typo, nobody] = await Promise.all([
      assent(['advisors', 'add', String(world.ann.advisor.firmId), ...typed], env(), 'a long password\n'),
      assent(['token', '--advisor', 'ann@test.example', '--application', world.clientId], env()),
      assent(['frims', 'list'], env()),
      assent(['keys', 'revoke', '999', '--yes'], env()),
    ]);
    assert.deepEqual([added.status, added.stderr], [0, '']);
    assert.equal(JSON.parse(added.stdout)[0].name, 'Piper');
    assert.match(await passwordHashOf('piper@test.example'), /^\$argon2id\$/);
    assert.deepEqual([token.status, token.stderr], [0, '']);
    assert.match(token.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.deepEqual([typo.status, typo.stdout], [2, '']);
    assert.match(typo.stderr, /no command “frims list”/);
    assert.deepEqual([nobody.status, nobody.stdout], [1, '']);
    assert.match(nobody.stderr, /^assent: .*no key 999/);
  });

  test('serve takes its role from the command line, in the words of the setting', async () => {
    await refused(2, [[['serve', '--role', 'worker'], /ROLE is "worker": it must be one of all, api, work/]]);
  });

  async function passwordHashOf(email: string): Promise<string> {
    const [row] = await world.database.asOwner<{ password_hash: string }>(
      'select password_hash from advisors where email = $1',
      [email],
    );
    return row?.password_hash ?? '';
  }

  test('a wrong call exits 2, says what is wrong and what may be meant, and prints nothing else', async () => {
    await refused(2, [
      [['frims', 'list'], /no command “frims list”\. Did you mean “firms list”\?/],
      [['help', 'keys', 'isue'], /Did you mean “keys issue”\?/],
      [['xylophone'], /no command “xylophone”\. assent help lists them/],
      [['firms'], /say what to do with firms:[\s\S]*firms add/],
      [['firms', 'add'], /usage: assent firms add NAME/],
      [
        ['keys', 'issue', world.clientId, '--dayli-quota', '5'],
        /no option --dayli-quota\. Did you mean --daily-quota\?/,
      ],
      [['token'], /--advisor is required/],
      [['advisors', 'set', 'ann@test.example'], /at least one setting/],
      [['advisors', 'set', 'ann@test.example', '--disabled', 'maybe'], /--disabled must be yes or no/],
      [['keys', 'issue', world.clientId, '--unlimited', '--rate', '5'], /--unlimited can’t be combined with/],
      [['contacts', 'import', join(folder, 'nothing.csv'), '--advisor', 'ann@test.example'], /no file/],
    ]);
  });

  test('with --json, an error is an object in the last line of stderr', async () => {
    const lost = commandsWith(() => ({ ...env(), DATABASE_URL: 'postgres://localhost:1/assent' }));
    const said = await Promise.all([
      run(['keys', 'revoke', '999', '--yes', '--json']),
      run(['keys', 'revok', '999', '--json']),
      lost.run(['keys', 'list', '--json']),
    ]);
    const errors = said.map(({ stderr }) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['not_found', 'usage', 'failed'],
    );
    assert.match(errors[0].message, /no key 999/);
  });

  test('what can’t be undone needs --yes where nobody can be asked', async () => {
    const issued = await run(['keys', 'issue', world.clientId, '--json']);
    const [{ keyId }] = JSON.parse(issued.stdout);
    const isRevoked = async () =>
      (await records(['keys', 'list'])).find((each: { keyId: number }) => each.keyId === keyId).revoked;
    await refused(2, [[['keys', 'revoke', String(keyId)], /keys revoke can’t be undone: add --yes/]]);
    const asked = await atTerminal('n\n', ['keys', 'revoke', String(keyId)]);
    assert.match(asked.stderr, /Revoke a key.*\n.*can’t be undone\. Go ahead\? \[y\/N\] .*Nothing was changed/s);
    assert.deepEqual([asked.status, await isRevoked()], [1, false]);
    const agreed = await atTerminal('y\n', ['keys', 'revoke', String(keyId)]);
    assert.deepEqual([agreed.status, await isRevoked()], [0, true]);
  });

  /** A person at a terminal types this. */
  async function atTerminal(typed: string, args: string[]): Promise<CommandResult> {
    const said = { stdout: '', stderr: '' };
    const terminal = (name: keyof typeof said) =>
      Object.assign(
        new Writable({
          decodeStrings: false,
          write(text, _, done) {
            said[name] += text;
            done();
          },
        }),
        { isTTY: true },
      );
    const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
    const status = await main(args, env(), { stdin, stdout: terminal('stdout'), stderr: terminal('stderr') });
    return { status, ...said };
  }

  test('a refused call exits 1 and says why, without a stack', async () => {
    await refused(1, [
      [['advisors', 'add', '999', '--name', 'X', '--email', 'x@test.example'], /no firm 999/],
      [['advisors', 'add', '1', '--name', 'X', '--email', 'ANN@test.example'], /Another advisor has that email/],
      [['advisors', 'set', 'bob@test.example', '--email', 'ann@test.example'], /Another advisor has that email/],
      [['advisors', 'set', 'bob@test.example', '--time-zone', 'Mars/Base'], /not a time zone/],
      [['advisors', 'set', 'bob@test.example', '--time-zone', 'PST'], /not a time zone/],
      [['applications', 'add', 'X', '--redirect-uri', 'http://evil.example/'], /not a redirect URI/],
      [['keys', 'revoke', '999', '--yes'], /no key 999/],
      [['firms', 'add', 'x'.repeat(201)], /at most 200 characters/],
      [['advisors', 'set', 'bob@test.example', '--name', 'Bob\nSTOP'], /can’t contain line breaks/],
      [['staff', 'add', '1', '--name', '\u200b', '--email', 'x@test.example'], /A staff member needs a name/],
      [['token', '--advisor', 'nobody@test.example', '--application', world.clientId], /no advisor nobody/],
    ]);
  });

  test('an error shows control characters of what it quotes as symbols', async () => {
    await refused(1, [[['advisors', 'show', 'a\x1b[31mred\u202e'], /^assent: There is no advisor a␛\[31mred�\.\n$/]]);
  });

  test('one that goes through everything waits longer for the database than others', async () => {
    const hasty = commandsWith(() => ({ ...env(), DATABASE_TIMEOUT_MS: '2000' }));
    const owner = new pg.Client({ connectionString: world.database.url });
    await owner.connect();
    try {
      await owner.query('begin; lock table archive_heads in access exclusive mode');
      const verifying = hasty.run(['archive', 'verify']);
      await hasty.refused(1, [[['archive', 'status'], /The database took too long/]]);
      await owner.query('rollback');
      const { stdout, stderr } = await verifying;
      assert.match(stdout, /entries/, stderr);
    } finally {
      await owner.end();
    }
  });

  test('a verification that couldn’t look doesn’t exit as if it had found something', async () => {
    const lost = commandsWith(() => ({ ...env(), DATABASE_URL: 'postgres://localhost:1/assent' }));
    const [unreachable, misspelled] = [
      await lost.run(['archive', 'verify']),
      await run(['archive', 'verify', '--all']),
    ];
    assert.match(unreachable.stderr, /can’t be reached/);
    assert.match(misspelled.stderr, /--all/);
    assert.deepEqual([unreachable.status, misspelled.status], [3, 3]);
  });

  test('firms and advisors are added, listed, shown and changed', async () => {
    const [firm] = await records(['firms', 'add', 'Second Firm']);
    assert.equal(firm.name, 'Second Firm');
    const email = 'cleo@test.example';
    const settings = ['--texting-number', '+15005559001', '--time-zone', 'America/Denver', '--consent-required', 'no'];
    const [advisor] = await records(
      ['advisors', 'add', String(firm.firmId), '--name', 'Cleo', '--email', email, '--password-stdin', ...settings],
      'a long password\n',
    );
    assert.equal(advisor.firmId, firm.firmId);
    assert.deepEqual([advisor.timeZone, advisor.consentRequired, advisor.disabled], ['America/Denver', false, false]);
    assert.ok(!JSON.stringify(advisor).includes('password'));
    assert.match(await passwordHashOf(email), /^\$argon2id\$/);

    const changed = await records(['advisors', 'set', email, '--disabled', 'yes', '--name', 'Cleopatra']);
    const setting = (name: string) => changed.find((each: { setting: string }) => each.setting === name).value;
    assert.deepEqual(
      [setting('disabled'), setting('name'), setting('timeZone')],
      [true, 'Cleopatra', 'America/Denver'],
    );

    const [firms, table] = await Promise.all([records(['firms', 'list']), run(['advisors', 'list'])]);
    assert.deepEqual(
      firms.map(({ name }: { name: string }) => name),
      ['Test Wealth', 'Second Firm'],
    );
    assert.match(table.stdout, /^advisorId +firmId +name/);
    assert.match(table.stdout, /Cleopatra +cleo@test\.example +\+15005559001 +America\/Denver +yes\n/);
  });

  test('applications and keys are added, and give access until they are revoked or disabled', async () => {
    const scope = 'core.contacts.read openid';
    const add = ['applications', 'add', 'CLI CRM', '--redirect-uri', 'https://crm.example/back', '--scope', scope];
    const [{ clientId, clientSecret }] = await records(add);
    const [key] = await records(['keys', 'issue', clientId, '--rate', '7', '--burst', '9', '--daily-quota', '11']);
    const { stdout: token } = await run(['token', '--advisor', 'ann@test.example', '--application', clientId]);
    const headers = credentials(token.trim(), key.apiKey);
    const get = () => inject(world.app, { method: 'GET', url: '/v1/core/contact/contacts', headers });
    const answer = await get();
    assert.equal(answer.status, 200);
    assert.match(answer.headers['ratelimit-policy'] ?? '', /"burst";q=9;w=2, "day";q=11;w=86400/);

    const [keys, applications, rotated] = await Promise.all([
      records(['keys', 'list']),
      run(['applications', 'list']),
      run(['applications', 'rotate-secret', clientId, '--yes']),
    ]);
    const listed = keys.find(({ keyId }: { keyId: number }) => keyId === key.keyId);
    assert.deepEqual([listed.clientId, listed.ratePerSecond, listed.dailyQuota], [clientId, 7, 11]);
    assert.ok(key.apiKey.startsWith(listed.hint.replace('…', '')) && listed.hint.length < 20);
    assert.match(applications.stdout, /CLI CRM +core\.contacts\.read openid +https:\/\/crm\.example\/back +no\n/);
    assert.match(rotated.stdout, /^cs_sandbox_\w{43}\n$/);
    assert.notEqual(rotated.stdout.trim(), clientSecret);
    const [row] = await world.database.asOwner<{ secret_hash: Buffer }>(
      'select secret_hash from applications where client_id = $1',
      [clientId],
    );
    assert.ok(row && matchesHash(rotated.stdout.trim(), row.secret_hash));

    assert.equal((await run(['keys', 'set-plan', String(key.keyId), '--unlimited'])).status, 0);
    await until('the new plan takes effect', async () => (await get()).headers.ratelimit === undefined);
    assert.equal((await run(['keys', 'revoke', String(key.keyId), '--yes'])).status, 0);
    await until('the key is refused', async () => (await get()).status === 401);
    assert.equal((await run(['applications', 'disable', clientId, '--yes'])).status, 0);
    const [off] = await world.database.asOwner<{ disabled: boolean }>(
      'select disabled from applications where client_id = $1',
      [clientId],
    );
    assert.equal(off?.disabled, true);
  });

  test('an application’s redirect URI and scopes are changed', async () => {
    const add = ['applications', 'add', 'Moving CRM', '--redirect-uri', 'https://crm.example/back'];
    const [{ clientId }] = await records(add);
    const set = (id: string, ...settings: string[]) => ['applications', 'set', id, ...settings];
    const moved = ['--redirect-uri', 'https://crm.example/moved', '--scope', 'core.contacts.read openid'];
    assert.equal((await run(set(clientId, ...moved))).status, 0);
    const all: { clientId: string; redirectUris: string[]; scopes: string[] }[] = await records([
      'applications',
      'list',
    ]);
    const application = all.find((each) => each.clientId === clientId);
    assert.deepEqual(application?.redirectUris, ['https://crm.example/moved']);
    assert.deepEqual(application?.scopes, ['core.contacts.read', 'openid']);
    await refused(1, [[set('app_sandbox_nobody', ...moved), /no application app_sandbox_nobody/]]);
    await refused(2, [[set(clientId), /at least one setting to change/]]);
  });

  test('token prints a token and nothing else, with the requested scopes', async () => {
    const ask = (...args: string[]) => run(['token', '--advisor', 'ann@test.example', ...args]);
    const to = ['--application', world.clientId];
    const [all, one, unknown, nobody] = await Promise.all([
      ask(...to),
      ask(...to, '--scope', 'core.contacts.read'),
      ask(...to, '--scope', 'core.everything'),
      ask(),
    ]);
    assert.match(all.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.equal(all.stderr, '');
    const scopeOf = ({ stdout }: CommandResult) =>
      JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString()).scope;
    assert.equal(scopeOf(all).split(' ').length, 7);
    assert.equal(scopeOf(one), 'core.contacts.read');
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /not provisioned for core\.everything/);
    assert.equal(nobody.status, 2);
    assert.match(nobody.stderr, /--application/);
  });
});
