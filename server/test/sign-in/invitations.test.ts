import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { inviteAdvisor } from '../../src/domain/sign-in/invitations.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { makeLog } from '../../src/log.ts';
import { makePasskey } from '../support/authenticator.ts';
import { commandsWith } from '../support/commands.ts';
import { moved } from '../support/database.ts';
import { Visitor } from '../support/visitor.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let people = 0;
const lines: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'assent-invitations-'));
before(async () => {
  world = await makeWorld({ log: makeLog('debug', { write: (line) => void lines.push(line) }) });
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const { run, records, refused } = commandsWith(() => ({
  DATABASE_URL: world.database.url,
  ASSENT_DATA_DIR: folder,
}));
const oldPassword = 'the old password';
const newPassword = 'a new password';

type Invitee = { advisorId: number; email: string; code: string };

/** An advisor for this test alone, with a link. */
async function invited(password?: string): Promise<Invitee> {
  const email = `person+${++people}@test.example`;
  const { firmId } = world.ann.advisor;
  const { advisorId } = await addAdvisor(world.deps, { firmId, name: 'Person', email, password });
  return { advisorId, email, code: await codeFor(advisorId) };
}

async function codeFor(advisorId: number): Promise<string> {
  const { link } = await inviteAdvisor(world.deps, advisorId);
  return new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '';
}

/** A visitor at a new address, so that one test's attempts don't throttle another's. */
function stranger(address = `203.0.113.${people}`): Visitor {
  return new Visitor(world.app, { address });
}

async function choose(
  fields: Partial<Record<'email' | 'code' | 'password' | 'repeated', string>>,
  visitor = stranger(),
) {
  const { password = newPassword } = fields;
  const page = await visitor.get('/invitation');
  return visitor.submit(page, '/invitation', { email: '', code: '', password, repeated: password, ...fields });
}

async function assertRefused(fields: Parameters<typeof choose>[0], why = /This link doesn’t work for that email\./) {
  const visitor = stranger();
  const answer = await choose(fields, visitor);
  assert.equal(answer.status, 400);
  assert.match(answer.body, why);
  assert.equal(visitor.cookies.has('assent-8080-session'), false);
}

test('an advisor who never had a password chooses one at the link, and is signed in', async () => {
  const { email, code } = await invited();
  const visitor = stranger();
  const answer = await choose({ email: ` ${email.toUpperCase()}`, code }, visitor);
  assert.deepEqual([answer.status, answer.location], [303, '/connected-apps?done=password']);
  assert.match(
    (await visitor.get('/connected-apps?done=password')).body,
    /Your password is set, and you are signed in\./,
  );
  assert.equal((await stranger().signIn(email, newPassword)).status, 303);
});

test('an advisor who forgot their password chooses a new one, and the old one ends', async () => {
  const { email, code } = await invited(oldPassword);
  assert.equal((await stranger().signIn(email, oldPassword)).status, 303, 'until another is chosen');
  await choose({ email, code });
  assert.equal((await stranger().signIn(email, oldPassword)).status, 400);
  assert.equal((await stranger().signIn(email, newPassword)).status, 303);
});

test('it signs them out everywhere and removes their passkeys, as a new password from the operator does', async () => {
  const { advisorId, email } = await invited(oldPassword);
  const elsewhere = stranger();
  await elsewhere.signIn(email, oldPassword);
  await elsewhere.get('/passkeys');
  const { body: options } = await elsewhere.postJson('/passkeys/options', {});
  await elsewhere.postJson('/passkeys', { response: makePasskey(world.config.publicUrl).register(options) });
  await choose({ email, code: await codeFor(advisorId) });
  assert.equal((await elsewhere.get('/connected-apps')).status, 303);
  const left = await world.database.asOwner('select from passkeys where advisor_id = $1', [advisorId]);
  assert.equal(left.length, 0);
});

test('the link works once', async () => {
  const { email, code } = await invited();
  await choose({ email, code });
  await assertRefused({ email, code, password: 'yet another one' });
});

test('of two who use it at the same moment, one gets in', async () => {
  const { email, code } = await invited();
  const both = await Promise.all(
    ['first of the two', 'second of the two'].map((password) => choose({ email, code, password })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 400]);
});

test('a newer link ends the older ones', async () => {
  const { advisorId, email, code } = await invited();
  const newer = await codeFor(advisorId);
  await assertRefused({ email, code });
  assert.equal((await choose({ email, code: newer })).status, 303);
});

test('so does a new password or another email from the operator', async () => {
  for (const change of [{ password: oldPassword }, { email: 'elsewhere@test.example' }]) {
    const { advisorId, email, code } = await invited();
    await setAdvisor(world.deps, advisorId, change);
    await assertRefused({ email: 'email' in change ? change.email : email, code });
  }
});

test('after 24 hours it no longer works, and is forgotten', async () => {
  const { advisorId, email, code } = await invited();
  const [row] = await world.database.asOwner<{ expires: Date }>(
    `update invitations
     set date_time_expires = ${moved('date_time_expires', "interval '-24 hours'")}
     where advisor_id = $1
     returning date_time_expires as expires`,
    [advisorId],
  );
  const hours = (Number(row?.expires) - Date.now()) / 3_600_000 + 24;
  assert.ok(hours > 23.9 && hours <= 24, String(hours));
  await assertRefused({ email, code });
  await forgetExpiredSignIns(world.deps);
  const left = await world.database.asOwner('select from invitations where advisor_id = $1', [advisorId]);
  assert.equal(left.length, 0);
});

test('a wrong code, another advisor’s email, no such account and a disabled account get the same answer', async () => {
  const { email, code } = await invited();
  const off = await invited();
  await setAdvisor(world.deps, off.advisorId, { disabled: true });
  const answers = await Promise.all(
    [
      { email, code: 'A'.repeat(43) },
      { email: 'ann@test.example', code },
      { email: 'nobody@test.example', code },
      { email: off.email, code: off.code },
    ].map(async (fields) => {
      const { status, body } = await choose(fields);
      return `${status} ${body}`.replaceAll(/value="[^"]*"/g, '');
    }),
  );
  assert.equal(new Set(answers).size, 1);
  assert.match(answers[0] ?? '', /^400 /);
  assert.equal((await choose({ email, code })).status, 303, 'and none of them spent the link');
});

test('a password that is too short, or repeated differently, spends nothing', async () => {
  const { email, code } = await invited();
  await assertRefused({ email, code, password: 'short' }, /A password needs at least 8 characters\./);
  await assertRefused({ email, code, repeated: 'something else' }, /The two passwords are different\./);
  assert.equal((await choose({ email, code })).status, 303);
});

test('opening the page spends nothing and needs no code: it is the same for everybody', async () => {
  const { email, code } = await invited();
  const { link } = await inviteAdvisor(world.deps, (await invited()).advisorId);
  assert.match(link, /^http:\/\/localhost:8080\/invitation#email=person%2B\d+%40test\.example&code=[\w-]{43}$/);
  const opened = await stranger().get(link);
  assert.equal(opened.status, 200);
  assert.equal(opened.headers['referrer-policy'], 'same-origin');
  assert.equal(opened.headers['cache-control'], 'no-store');
  assert.equal((await choose({ email, code })).status, 303);
});

test('a form from another site is refused', async () => {
  const { email, code } = await invited();
  const visitor = stranger();
  await visitor.get('/invitation');
  const fields = { email, code, password: newPassword, repeated: newPassword };
  assert.equal((await visitor.post('/invitation', { ...fields, formToken: 'A'.repeat(43) })).status, 403);
  assert.equal((await visitor.post('/invitation', fields, { origin: 'https://evil.example' })).status, 403);
});

test('attempts are throttled by address', async (t) => {
  // No time passes, or attempts would come back on a slow machine.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const visitor = stranger('198.51.100.200');
  const page = await visitor.get('/invitation');
  const fields = { email: 'ann@test.example', code: 'x', password: newPassword, repeated: newPassword };
  // A few at a time: all at once would be refused for a different reason.
  const attempts = () => Promise.all(Array.from({ length: 10 }, () => visitor.submit(page, '/invitation', fields)));
  for (let tried = 0; tried < 100; tried += 10) for (const { status } of await attempts()) assert.equal(status, 400);
  const throttled = await attempts();
  for (const { status } of throttled) assert.equal(status, 429);
  assert.ok(Number(throttled[0]?.headers['retry-after']) >= 1);
  assert.match(throttled[0]?.body, /Too many attempts\. Wait \d+ seconds?, then try again\./);
});

test('the database has the hash of the code alone, and no log line has the code or the password', async () => {
  const { advisorId, email, code } = await invited();
  const [row] = await world.database.asOwner<{ text: string }>(
    'select invitations::text as text from invitations where advisor_id = $1',
    [advisorId],
  );
  assert.ok(row && !row.text.includes(code) && !row.text.includes(Buffer.from(code).toString('hex')));
  await choose({ email, code });
  assert.ok(lines.some((line) => line.includes('"/invitation"')));
  for (const line of lines)
    assert.ok(!line.includes(code) && !line.includes(newPassword) && !line.includes(email), line);
});

test('the invitation and the choice are archive entries, without the code', async () => {
  const { advisorId, email, code } = await invited();
  await choose({ email, code });
  const rows = await world.database.asOwner<{ actor: string; meta: string }>(
    `select actor, meta from archive_entries where advisor_id = $1 and kind = 'sign_in' order by number`,
    [advisorId],
  );
  assert.deepEqual(
    rows.map(({ actor, meta }) => [actor, JSON.parse(meta).action]),
    [
      ['operator', 'invited'],
      [`advisor:${advisorId}`, 'password chosen'],
      [`advisor:${advisorId}`, 'signed in'],
    ],
  );
});

test('`assent advisors invite` prints the link and nothing else, for an advisor who was added without a password', async () => {
  const { firmId } = world.ann.advisor;
  await records(['advisors', 'add', String(firmId), '--name', 'Quinn', '--email', 'quinn@test.example']);
  const { status, stdout, stderr } = await run(['advisors', 'invite', 'quinn@test.example']);
  assert.equal(status, 0, stderr);
  const [, code = ''] =
    /^http:\/\/localhost:8080\/invitation#email=quinn%40test\.example&code=([\w-]{43})\n$/.exec(stdout) ?? [];
  assert.match(stderr, /^For quinn@test\.example alone, until \d{4}-.*Z\. Links from before no longer work\.\n$/);
  assert.equal((await choose({ email: 'quinn@test.example', code })).status, 303);
});

test('it refuses a disabled account, and an advisor who doesn’t exist', async () => {
  const { advisorId, email } = await invited();
  await setAdvisor(world.deps, advisorId, { disabled: true });
  await refused(1, [
    [['advisors', 'invite', email], /This account is disabled/],
    [['advisors', 'invite', 'nobody@test.example'], /no advisor nobody@test\.example/],
  ]);
});
