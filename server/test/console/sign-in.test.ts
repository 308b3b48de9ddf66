import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff, inviteNewStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { inviteStaff } from '../../src/domain/sign-in/staff-invitations.ts';
import { totpStepOf } from '../../src/domain/sign-in/totp.ts';
import { qrModules } from '../../src/http/browser/qr-code.ts';
import { consolePath } from '../../src/http/console/staff-visits.ts';
import { deletePasskeys } from '../../src/store/sign-in/passkeys.ts';
import { lockStaff } from '../../src/store/sign-in/staff-credentials.ts';
import { makePasskey } from '../support/authenticator.ts';
import { commandsWith } from '../support/commands.ts';
import { isWaiting, moved } from '../support/database.ts';
import {
  choosePassword,
  codeIn,
  enroll,
  giveCode,
  givePassword,
  invitedStaff,
  staffPassword as password,
  recoveryCodesIn,
  secretIn,
} from '../support/staff-sign-in.ts';
import { totpOf } from '../support/totp.ts';
import { type Visit, Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let people = 0;
const folder = mkdtempSync(join(tmpdir(), 'assent-staff-'));
const cookie = 'assent-8080-staff';
before(async () => {
  world = await makeWorld();
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const { run, refused } = commandsWith(() => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder }));

type Invitee = Awaited<ReturnType<typeof invitedStaff>>;

async function invited(): Promise<Invitee> {
  people += 1;
  return invitedStaff(world.deps, world.ann.advisor.firmId);
}

/** A visitor at a new address, so that one test's attempts don't throttle another's. */
function stranger(): Visitor {
  return new Visitor(world.app, { address: `203.0.113.${people}` });
}

async function confirm(visitor: Visitor, page: Visit, totp: string): Promise<Visit> {
  return visitor.submit(page, '/console/invitation/authenticator', { totp });
}

/** Somebody with a password, an app and recovery codes, signed in. */
async function enrolled() {
  const person = await invited();
  const visitor = stranger();
  const { secret, totp, codes } = await enroll(visitor, person);
  assert.equal(codes.length, 10);
  return { ...person, visitor, secret, totp, codes };
}

/** As if the last code were from some minutes ago. */
async function forgetLastCode(staffId: number): Promise<void> {
  await world.database.asOwner('update staff_credentials set totp_step = totp_step - 10 where staff_id = $1', [
    staffId,
  ]);
}

async function entriesOf(staffId: number) {
  return world.database.asOwner<{ actor: string; meta: Record<string, unknown>; body: string }>(
    `select actor, meta::json, convert_from(body, 'utf8') as body
     from archive_entries join archive_bodies using (advisor_id, number)
     where advisor_id = 0 and kind = 'sign_in' and meta::json->>'staffId' = $1
     order by number`,
    [String(staffId)],
  );
}

describe('an invitation to the console', () => {
  it('signs in nobody before the second factor, then shows ten codes once', async () => {
    const person = await invited();
    const visitor = stranger();
    const page = await choosePassword(visitor, person);
    assert.equal(page.status, 200);
    assert.match(page.body, /<svg class="qr"/);
    assert.match(
      page.body,
      /otpauth:\/\/totp\/Assent:person\d+%40staff\.example\?secret=[A-Z2-7]{32}&amp;issuer=Assent/,
    );
    assert.equal(visitor.cookies.has(cookie), false);
    assert.equal((await confirm(visitor, page, '１２３４５６')).status, 400);
    const wrong = await confirm(visitor, page, '000000');
    assert.equal(wrong.status, 400);
    assert.equal(secretIn(wrong), secretIn(page));
    assert.equal(visitor.cookies.has(cookie), false);
    // The password alone is nothing.
    assert.equal((await givePassword(stranger(), person.email)).status, 400);
    const done = await confirm(visitor, wrong, totpOf(secretIn(page)));
    assert.equal(recoveryCodesIn(done).length, 10);
    assert.equal((await visitor.get('/console/api/session')).body.staff.email, person.email);
    const actions = (await entriesOf(person.staffId)).map(({ meta }) => meta.action);
    const expected = ['invited', 'password chosen', 'authenticator set up', 'recovery codes made', 'signed in'];
    assert.deepEqual(actions, expected);
  });

  it('is for a passkey alone, too', async () => {
    const { staffId, email, code } = await invited();
    const visitor = stranger();
    await visitor.get('/console/invitation');
    const passkey = makePasskey(world.config.publicUrl);
    const { body: options } = await visitor.postJson('/console/invitation/passkey/options', { email, code });
    assert.equal(options.authenticatorSelection.userVerification, 'required');
    assert.equal(options.user.name, `${email} (console)`);
    const unverified = passkey.register(options, { userVerified: false });
    const refusal = await visitor.postJson('/console/invitation/passkey', { email, code, response: unverified });
    assert.equal(refusal.status, 400);
    const { body: again } = await visitor.postJson('/console/invitation/passkey/options', { email, code });
    const answer = await visitor.postJson('/console/invitation/passkey', {
      email,
      code,
      response: passkey.register(again),
    });
    assert.deepEqual(answer.body, { location: '/console' });
    assert.equal((await visitor.get('/console/api/session')).status, 200);

    const other = stranger();
    await other.get('/console/sign-in');
    const { body: challenge } = await other.postJson('/console/sign-in/passkey/options', {});
    const userHandle = Buffer.from(`staff ${staffId}`).toString('base64url');
    const response = passkey.signIn(challenge, staffId, { userHandle });
    const signedIn = await other.postJson('/console/sign-in/passkey', { response, next: '/console/staff' });
    assert.deepEqual(signedIn.body, { location: '/console/staff' });
    assert.deepEqual((await entriesOf(staffId)).at(-1)?.meta, { action: 'signed in', staffId, method: 'passkey' });
  });

  it('can be taken while a passkey of before signs in: neither waits for the other', async () => {
    const { staffId, email, code } = await invited();
    const visitor = stranger();
    await visitor.get('/console/invitation');
    const passkey = makePasskey(world.config.publicUrl);
    const { body: options } = await visitor.postJson('/console/invitation/passkey/options', { email, code });
    await visitor.postJson('/console/invitation/passkey', { email, code, response: passkey.register(options) });
    const other = stranger();
    await other.get('/console/sign-in');
    const { body: challenge } = await other.postJson('/console/sign-in/passkey/options', {});
    const userHandle = Buffer.from(`staff ${staffId}`).toString('base64url');
    const response = passkey.signIn(challenge, staffId, { userHandle });
    let signingIn = Promise.resolve({ status: 0 });
    await world.database.pool.transaction(async (db) => {
      await lockStaff(db, staffId);
      signingIn = other.postJson('/console/sign-in/passkey', { response });
      await until('the sign-in waits', () => isWaiting(world.database));
      // If the sign-in had the passkey and waited for the account, the two would be in a deadlock.
      const free = 'select from passkeys where staff_id = $1 for update skip locked';
      assert.equal((await world.database.asOwner(free, [staffId])).length, 1);
      await deletePasskeys(db, { staffId });
    });
    assert.equal((await signingIn).status, 400);
  });

  it('works once, for 24 hours, and not beside a newer one', async () => {
    const person = await invited();
    const hours = await world.database.asOwner<{ hours: number }>(
      'select round(extract(epoch from date_time_expires - now()) / 3600)::int as hours from invitations where staff_id = $1',
      [person.staffId],
    );
    assert.deepEqual(hours, [{ hours: 24 }]);
    const newer = { ...person, code: codeIn((await inviteStaff(world.deps, person)).link) };
    assert.match((await choosePassword(stranger(), person)).body, /This link doesn’t work for that email\./);
    const visitor = stranger();
    const page = await choosePassword(visitor, newer);
    assert.equal((await confirm(visitor, page, totpOf(secretIn(page)))).status, 200);
    assert.match((await choosePassword(stranger(), newer)).body, /This link doesn’t work for that email\./);

    const late = await invited();
    await world.database.asOwner(
      `update invitations set date_time_expires = now() - interval '1 second' where staff_id = $1`,
      [late.staffId],
    );
    const refusal = await choosePassword(stranger(), late);
    assert.equal(refusal.status, 400);
    assert.match(refusal.body, /This link doesn’t work for that email\./);
    await forgetExpiredSignIns(world.deps);
    const left = await world.database.asOwner('select from invitations where staff_id = $1', [late.staffId]);
    assert.deepEqual(left, []);
  });

  it('for somebody who has signed in before replaces all they had, and ends their sessions at once', async () => {
    const { staffId, email, visitor, codes } = await enrolled();
    const { link } = await inviteStaff(world.deps, { staffId, email });
    assert.equal((await visitor.get('/console/api/session')).status, 401);
    // Until they choose anew, what they have works.
    const inBetween = stranger();
    const step = await givePassword(inBetween, email);
    assert.match(step.body, /Enter your code/);
    const newer = stranger();
    const page = await choosePassword(newer, { email, code: codeIn(link) });
    await confirm(newer, page, totpOf(secretIn(page)));
    assert.match((await giveCode(inBetween, step, codes[0] ?? '')).body, /That took too long/);
    assert.match(
      (await giveCode(stranger(), await givePassword(inBetween, email), codes[0] ?? '')).body,
      /didn’t come from our page/,
    );
  });

  it('an advisor’s link and passkey open nothing here, nor the other way around', async () => {
    const { advisor } = world.ann;
    const { staffId, email, code } = await invited();
    const visitor = stranger();
    await visitor.get('/invitation');
    const wrongDoor = await visitor.post('/invitation', { email, code, password, repeated: password });
    assert.match(wrongDoor.body, /This link doesn’t work for that email\./);
    const passkey = makePasskey(world.config.publicUrl);
    const { body: options } = await visitor.postJson('/console/invitation/passkey/options', { email, code });
    await visitor.postJson('/console/invitation/passkey', { email, code, response: passkey.register(options) });
    await visitor.get('/sign-in');
    const { body: challenge } = await visitor.postJson('/sign-in/passkey/options', {});
    for (const userHandle of [`staff ${staffId}`, String(staffId), String(advisor.advisorId)]) {
      const response = passkey.signIn(challenge, staffId, {
        userHandle: Buffer.from(userHandle).toString('base64url'),
      });
      assert.equal((await visitor.postJson('/sign-in/passkey', { response })).status, 400);
    }
  });
});

describe('signing in to the console', () => {
  it('takes a password and then a code, and no code works twice', async () => {
    const { staffId, email, secret, totp } = await enrolled();
    const visitor = stranger();
    const used = await givePassword(visitor, email, password, '/console/staff');
    assert.match(used.body, /Enter your code/);
    assert.equal(visitor.cookies.has(cookie), false);
    // The one that confirmed the app, again.
    const replayed = await giveCode(visitor, used, totp);
    assert.equal(replayed.status, 400);
    const newer = totpOf(secret, 1);
    const next = await giveCode(visitor, replayed, newer);
    assert.deepEqual([next.status, next.location], [303, '/console/staff']);
    const other = stranger();
    assert.equal((await giveCode(other, await givePassword(other, email), newer)).status, 400);
    const last = (await entriesOf(staffId)).at(-1);
    assert.deepEqual(last?.meta, { action: 'signed in', staffId, method: 'password', secondFactor: 'authenticator' });
  });

  it('two sign-ins with one code at once are one', async () => {
    const { staffId, email, secret } = await enrolled();
    await forgetLastCode(staffId);
    const visitors = [stranger(), stranger()];
    const pages = await Promise.all(visitors.map((visitor) => givePassword(visitor, email)));
    const code = totpOf(secret);
    const answers = await Promise.all(visitors.map((visitor, index) => giveCode(visitor, pages[index] as Visit, code)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400]);
  });

  it('a code of the step before or after is good, and of no other', async () => {
    const { staffId, email, secret } = await enrolled();
    const now = Math.floor(Date.now() / 30_000);
    for (const [later, works] of [
      [-2, false],
      [-1, true],
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      const at = { now: (now + 0.5) * 30_000, after: 0 };
      assert.equal(totpStepOf(secret, totpAtStep(secret, now + later), at), works ? now + later : null);
    }
    await forgetLastCode(staffId);
    // Domain time moves in a sandbox; an app's doesn't.
    await world.clock.advance(3_600_000);
    const visitor = stranger();
    const answer = await giveCode(
      visitor,
      await givePassword(visitor, email),
      ` ${totpOf(secret).replace(/(...)/, '$1 ')}`,
    );
    assert.equal(answer.status, 303);
  });

  it('a recovery code works once instead, however it is typed', async () => {
    const { staffId, email, codes } = await enrolled();
    const [code = '', other = ''] = codes;
    const visitor = stranger();
    assert.equal((await giveCode(visitor, await givePassword(visitor, email), code)).status, 303);
    visitor.cookies.delete(cookie);
    assert.equal((await giveCode(visitor, await givePassword(visitor, email), code)).status, 400);
    const typed = other.toUpperCase().replaceAll('-', ' ');
    assert.equal((await giveCode(visitor, await givePassword(visitor, email), typed)).status, 303);
    const used = (await entriesOf(staffId)).filter(({ meta }) => meta.action === 'recovery code used');
    assert.deepEqual(
      used.map(({ meta }) => meta.left),
      [9, 8],
    );
  });

  it('answers the same for a wrong password, an unknown account, a disabled one and one without a password', async () => {
    const { email } = await enrolled();
    const disabled = await enrolled();
    await setStaff(world.deps, disabled.staffId, { disabled: true });
    const never = await addStaff(world.deps, {
      firmId: world.ann.advisor.firmId,
      name: 'N',
      email: 'never@staff.example',
    });
    const advisor = await addAdvisor(world.deps, {
      firmId: never.firmId ?? 0,
      name: 'A',
      email: 'adv@test.example',
      password,
    });
    const answers = [];
    for (const [who, given] of [
      [email, 'wrong password'],
      ['nobody@staff.example', password],
      [disabled.email, password],
      [never.email, password],
      [advisor.email, password],
    ] as const) {
      const { status, body } = await givePassword(stranger(), who, given);
      answers.push([status, body.replaceAll(who, '').replaceAll(/formToken" value="[^"]+|form-token="[^"]+/g, '')]);
    }
    assert.equal(answers[0]?.[0], 400);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });

  it('throttles passwords and codes, and archives at most one entry a minute about them', async () => {
    const { staffId, email, visitor } = await enrolled();
    visitor.cookies.delete(cookie);
    const step = await givePassword(visitor, email);
    const codes = [];
    for (let guess = 0; guess < 11; guess++) codes.push(await giveCode(visitor, step, String(guess).padStart(6, '0')));
    assert.deepEqual([...new Set(codes.slice(0, 10).map(({ status }) => status))], [400]);
    assert.equal(codes[10]?.status, 429);
    assert.ok(Number(codes[10]?.headers['retry-after']) > 100);
    const [passwords, guesser] = [[] as number[], stranger()];
    for (let guess = 0; guess < 11; guess++)
      passwords.push((await givePassword(guesser, email, `wrong ${guess}`)).status);
    assert.deepEqual(passwords, [...Array(10).fill(400), 429]);
    // At the same address, a browser in which they have signed in has attempts of its own; and from elsewhere it can still be tried.
    assert.equal((await givePassword(visitor, email)).status, 200);
    assert.equal((await givePassword(new Visitor(world.app, { address: '192.0.2.77' }), email)).status, 200);

    await world.clock.advance(61_000);
    await forgetExpiredSignIns(world.deps);
    const failures = (await entriesOf(staffId)).filter(({ meta }) => meta.action === 'sign-in failed');
    assert.deepEqual(failures.map(({ actor, meta }) => [actor, meta.method, meta.failures]).toSorted(), [
      ['visitor', 'code', 10],
      ['visitor', 'password', 10],
    ]);
  });

  it('lasts twelve hours, an hour without use, and no longer than the account is enabled', async () => {
    const { staffId, visitor } = await enrolled();
    const status = async () => (await visitor.get('/console/api/session')).status;
    const age = (column: string, by: string) =>
      world.database.asOwner(`update sessions set ${column} = ${moved(column, '-$2::interval')} where staff_id = $1`, [
        staffId,
        by,
      ]);
    // A page that is left open asks by itself: that is no use of it.
    await age('date_time_seen', '50 minutes');
    await visitor.call('GET', '/console/api/session', { headers: { 'x-unattended': 'yes' } });
    await age('date_time_seen', '11 minutes');
    assert.equal(await status(), 401);
    await age('date_time_seen', '-2 minutes');
    assert.equal(await status(), 200);
    await age('date_time_seen', '61 minutes');
    assert.equal(await status(), 401);
    await age('date_time_seen', '-61 minutes');
    assert.equal(await status(), 200);
    await age('date_time_expires', '12 hours');
    assert.equal(await status(), 401);
    await age('date_time_expires', '-12 hours');
    assert.equal(await status(), 200);
    await setStaff(world.deps, staffId, { disabled: true });
    assert.equal(await status(), 401);
    await setStaff(world.deps, staffId, { disabled: false });
    assert.equal(await status(), 401);
  });

  it('leads to pages of the console only', () => {
    const elsewhere = [
      '//evil.example',
      'https://evil.example',
      '/consoles',
      '/app',
      '/console/../app',
      '/console/%2e%2e/app',
    ];
    for (const next of [...elsewhere, '/console\\\\@evil.example', undefined])
      assert.equal(consolePath(next), '/console');
    for (const next of ['/console', '/console/staff?a=%2F#b']) assert.equal(consolePath(next), next);
  });

  it('has no secret in any entry, and none in clear in the database', async () => {
    const { staffId, secret, codes } = await enrolled();
    const text = JSON.stringify(await entriesOf(staffId));
    const rows = await world.database.asOwner(
      `select c::text, encode(sealed_totp, 'escape') as sealed, r::text as code
       from staff_credentials c join recovery_codes r using (staff_id) where staff_id = $1`,
      [staffId],
    );
    for (const hidden of [secret, password, ...codes]) {
      assert.ok(!text.includes(hidden));
      assert.ok(!JSON.stringify(rows).includes(hidden));
    }
    assert.equal(rows.length, 10);
  });

  it('in production there is no one-click sign-in, and cookies are for this host over https', async () => {
    const env = { ASSENT_ENV: 'production', PUBLIC_URL: 'https://assent.example', DATABASE_URL: 'postgres://x/y' };
    const production = await makeWorld({ env });
    const { staff } = await inviteNewStaff(production.deps, {
      firmId: null,
      role: 'operator',
      name: 'O',
      email: 'o@o.example',
    });
    const visitor = new Visitor(production.app, { headers: { origin: 'https://assent.example' } });
    const page = await visitor.get('/console/sign-in');
    assert.doesNotMatch(page.body, /sandbox/);
    assert.match(
      String(page.headers['set-cookie']),
      /^__Host-assent-form=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const { status } = await visitor.post('/console/sign-in/sandbox', {
      staffId: String(staff.staffId),
      next: '/console',
    });
    assert.equal(status, 404);
    assert.equal(visitor.cookies.has('__Host-assent-staff'), false);
    await production.close();
  });
});

describe('assent staff invite', () => {
  it('makes the first operator, and invites again whoever is there', async () => {
    const added = await run([
      'staff',
      'invite',
      '--role',
      'operator',
      '--name',
      'First Operator',
      '--email',
      'first@ops.example',
    ]);
    const link = added.stdout.trim();
    assert.match(link, /^http:\/\/localhost:8080\/console\/invitation#email=first%40ops\.example&code=[\w-]{43}$/);
    const visitor = stranger();
    const page = await choosePassword(visitor, { email: 'first@ops.example', code: codeIn(link) });
    await confirm(visitor, page, totpOf(secretIn(page)));
    const { body } = await visitor.get('/console/api/session');
    assert.deepEqual([body.staff.role, body.staff.firmId], ['operator', null]);
    const again = await run(['staff', 'invite', 'First@ops.example']);
    assert.notEqual(codeIn(again.stdout.trim()), codeIn(link));
    assert.equal((await visitor.get('/console/api/session')).status, 401);
    await refused(2, [[['staff', 'invite', '--name', 'Nobody'], /--role, --name and --email/]]);
    await refused(1, [[['staff', 'set', 'first@ops.example', '--disabled', 'yes'], /last operator/]]);
  });
});

it('a QR code is the one that another encoder draws', () => {
  const link = 'otpauth://totp/Assent:oakley%40sandbox.example?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&issuer=Assent';
  const rows = (qrModules(link) ?? []).map((row) => row.map(Number).join(''));
  assert.equal(rows.length, 37);
  assert.equal(
    createHash('sha256').update(rows.join('\n')).digest('hex'),
    '71b6259686d56f1642b17a5992580e5081ebe16d69ec53a795e8f48b71a45349',
  );
  assert.equal(qrModules('a'.repeat(231)), null);
});

/** The code at another moment. */
function totpAtStep(secret: string, step: number): string {
  return totpOf(secret, step - Math.floor(Date.now() / 30_000));
}
