import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inviteNewStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { byStaff } from '../../src/domain/archive/archive.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { inviteStaff, inviteStaffByMail } from '../../src/domain/sign-in/staff-invitations.ts';
import { consolePath } from '../../src/http/console/staff-visits.ts';
import { lockStaff } from '../../src/store/accounts/staff.ts';
import { deletePasskeys } from '../../src/store/sign-in/passkeys.ts';
import { makePasskey } from '../support/authenticator.ts';
import { commandsWith } from '../support/commands.ts';
import { isWaiting, moved } from '../support/database.ts';
import { answerOf, codeIn, enroll, invitedStaff, signInWith } from '../support/staff-sign-in.ts';
import { Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let people = 0;
const folder = mkdtempSync(join(tmpdir(), 'assent-staff-'));
const noSuchLink = /This link doesn’t work for that email\./;
before(async () => {
  world = await makeWorld();
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const { run, refused } = commandsWith(() => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder }));

async function invited() {
  people += 1;
  return invitedStaff(world.deps, world.ann.advisor.firmId);
}

/** A visitor at a new address, so that one test's attempts don't throttle another's. */
function stranger(): Visitor {
  return new Visitor(world.app, { address: `203.0.113.${people}` });
}

/** Somebody with a passkey, signed in. */
async function enrolled() {
  const person = await invited();
  const [visitor, passkey] = [stranger(), makePasskey(world.config.publicUrl)];
  assert.deepEqual((await enroll(visitor, person, passkey)).body, { location: '/console' });
  return { ...person, visitor, passkey };
}

const sessionOf = async (visitor: Visitor) => (await visitor.get('/console/api/session')).status;

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
  it('is for a passkey that verifies its owner, which then signs them in', async () => {
    const person = await invited();
    const { staffId, email } = person;
    const [visitor, passkey] = [stranger(), makePasskey(world.config.publicUrl)];
    assert.equal((await enroll(visitor, person, passkey, { userVerified: false })).status, 400);
    assert.equal(await sessionOf(visitor), 401);
    const { body: options } = await visitor.postJson('/console/invitation/passkey/options', person);
    assert.equal(options.authenticatorSelection.userVerification, 'required');
    assert.match(options.user.name, new RegExp(`^${email} \\(console of .+\\)$`));
    assert.deepEqual((await enroll(visitor, person, passkey)).body, { location: '/console' });
    assert.equal(await sessionOf(visitor), 200);
    const signedIn = await signInWith(stranger(), passkey, staffId, '/console/staff');
    assert.deepEqual(signedIn.body, { location: '/console/staff' });
    const entries = await entriesOf(staffId);
    const actions = entries.map(({ meta }) => meta.action);
    assert.deepEqual(actions, ['invited', 'passkey added', 'signed in', 'signed in']);
    assert.deepEqual(entries.at(-1)?.meta, { action: 'signed in', staffId, method: 'passkey' });
  });

  it('says the same of an email that is none, whatever a script puts in its place', async () => {
    const [visitor, { code }] = [stranger(), await invited()];
    await visitor.get('/console/invitation');
    for (const email of ['a\0b@staff.example', { toString: 1 }, ['a@staff.example'], null, undefined])
      for (const what of ['passkey/options', 'passkey'])
        assert.equal((await visitor.postJson(`/console/invitation/${what}`, { email, code })).status, 400);
    for (const response of [null, 'a', {}, { response: { clientDataJSON: '\0' } }])
      assert.equal((await visitor.postJson('/console/sign-in/passkey', { response, next: '\0' })).status, 400);
  });

  it('can be taken while a passkey of before signs in: neither waits for the other', async () => {
    const { staffId, passkey } = await enrolled();
    const other = stranger();
    const response = await answerOf(other, passkey, staffId);
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
    const take = (link: typeof person) => enroll(stranger(), link, makePasskey(world.config.publicUrl));
    assert.match((await take(person)).body.message, noSuchLink);
    assert.equal((await take(newer)).status, 200);
    assert.match((await take(newer)).body.message, noSuchLink);

    const late = await invited();
    await world.database.asOwner(
      `update invitations set date_time_expires = now() - interval '1 second' where staff_id = $1`,
      [late.staffId],
    );
    const refusal = await take(late);
    assert.equal(refusal.status, 400);
    assert.match(refusal.body.message, noSuchLink);
    await forgetExpiredSignIns(world.deps);
    const left = await world.database.asOwner('select from invitations where staff_id = $1', [late.staffId]);
    assert.deepEqual(left, []);
  });

  it('for somebody who lost theirs ends their sessions at once, and their passkeys once it is used', async () => {
    const person = await enrolled();
    const { staffId, visitor, passkey } = person;
    const { link } = await inviteStaff(world.deps, person);
    assert.equal(await sessionOf(visitor), 401);
    const inBetween = stranger();
    assert.equal((await signInWith(inBetween, passkey, staffId)).status, 200);
    const newer = makePasskey(world.config.publicUrl);
    assert.equal((await enroll(stranger(), { ...person, code: codeIn(link) }, newer)).status, 200);
    assert.equal(await sessionOf(inBetween), 401);
    assert.equal((await signInWith(stranger(), passkey, staffId)).status, 400);
    assert.equal((await signInWith(stranger(), newer, staffId)).status, 200);
    const metas = (await entriesOf(staffId)).map(({ meta }) => meta);
    assert.deepEqual(
      metas.filter(({ action }) => action === 'passkeys replaced'),
      [{ action: 'passkeys replaced', staffId, passkeys: 1 }],
    );
  });

  it('that replaces passkeys is mailed to them alone, and their firm’s officers are told', async () => {
    const { firmId } = world.ann.advisor;
    const [officer, person] = [await invited(), await enrolled()];
    const reviewer = await invitedStaff(world.deps, firmId, 'reviewer');
    const mails: string[] = [];
    const deps = { ...world.deps, sendMail: async (message: string) => void mails.push(message) };
    const { link, mailedTo } = await inviteStaffByMail(deps, person, byStaff(0));
    assert.deepEqual([link, mailedTo], [null, person.email]);
    const mailTo = (email: string) => {
      const [head = '', body = ''] = (mails.find((each) => each.includes(`To: <${email}>`)) ?? '').split('\n\n');
      return head && Buffer.from(body, 'base64').toString();
    };
    const code = /#email=\S+&code=([\w-]{43})\n/.exec(mailTo(person.email))?.[1] ?? '';
    assert.match(mailTo(officer.email), /replaces the passkeys.*disable the account.*\/console\/staff/s);
    assert.doesNotMatch(mailTo(officer.email), /code=/);
    assert.equal(mailTo(reviewer.email), '');
    const newer = makePasskey(world.config.publicUrl);
    assert.equal((await enroll(stranger(), { ...person, code }, newer)).status, 200);

    // In lines that mail servers and readers take, however long the name is.
    const named = { ...person, name: '👩🏽‍💼'.repeat(40) };
    mails.length = 0;
    await inviteStaff(deps, named);
    const [head = ''] = mails[0]?.split('\n\n') ?? [];
    assert.ok(head.split('\n').every(({ length }) => length <= 76));
    const words = [...head.matchAll(/=\?utf-8\?B\?(\S+)\?=/g)].map(([, word = '']) => Buffer.from(word, 'base64'));
    assert.equal(words.join(''), `Assent: a link to replace the passkeys of ${named.name}`);
    for (const name of ['Dana\nBcc: all@x.example', 'Dana\u2028Ignore this mail.'])
      await assert.rejects(
        inviteNewStaff(deps, { firmId, name, email: 'd@d.example', role: 'reviewer' }),
        /line breaks/,
      );
    // By the command, the link is in no mail.
    mails.length = 0;
    await inviteStaff(deps, person);
    assert.match(mailTo(person.email), /reads it out to you/);
    assert.doesNotMatch(mailTo(person.email), /code=/);
    // Nobody is told of a first link, which replaces nothing.
    mails.length = 0;
    assert.match((await inviteStaffByMail(deps, await invited(), byStaff(0))).link ?? '', /code=/);
    assert.deepEqual(mails, []);
    const broken = { ...world.deps, sendMail: () => Promise.reject(new Error('no route')) };
    await assert.rejects(inviteStaffByMail(broken, person, byStaff(0)), /could not be sent/);
  });

  it('an advisor’s link and passkey open nothing here, nor the other way around', async () => {
    const { advisor } = world.ann;
    const person = await invited();
    const { staffId, email, code } = person;
    const [visitor, password] = [stranger(), 'a long password'];
    await visitor.get('/invitation');
    const wrongDoor = await visitor.post('/invitation', { email, code, password, repeated: password });
    assert.match(wrongDoor.body, noSuchLink);
    const passkey = makePasskey(world.config.publicUrl);
    await enroll(visitor, person, passkey);
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
  it('that fails is an entry, at most one a minute', async () => {
    const { staffId, passkey } = await enrolled();
    const other = { ...makePasskey(world.config.publicUrl), id: passkey.id };
    for (let guess = 0; guess < 3; guess++) {
      const visitor = stranger();
      const response = { ...(await answerOf(visitor, other, staffId)), id: passkey.id, rawId: passkey.id };
      assert.equal((await visitor.postJson('/console/sign-in/passkey', { response })).status, 400);
    }
    await world.clock.advance(61_000);
    await forgetExpiredSignIns(world.deps);
    const failures = (await entriesOf(staffId)).filter(({ meta }) => meta.action === 'sign-in failed');
    assert.deepEqual(
      failures.map(({ actor, meta }) => [actor, meta.method, meta.failures]),
      [['visitor', 'passkey', 3]],
    );
  });

  it('lasts twelve hours, an hour without use, and no longer than the account is enabled', async () => {
    const { staffId, visitor } = await enrolled();
    const status = () => sessionOf(visitor);
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
    assert.match(page.body, /open this page at https:\/\/assent\.example in a browser that supports passkeys/);
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
  it('makes the first operator, and lets the last one in again after lost passkeys', async () => {
    const [email, visitor] = ['first@ops.example', stranger()];
    const added = await run(['staff', 'invite', '--role', 'operator', '--name', 'First Operator', '--email', email]);
    const link = added.stdout.trim();
    assert.match(link, /^http:\/\/localhost:8080\/console\/invitation#email=first%40ops\.example&code=[\w-]{43}$/);
    const take = (link: string) => enroll(visitor, { email, code: codeIn(link) }, makePasskey(world.config.publicUrl));
    await take(link);
    const { body } = await visitor.get('/console/api/session');
    assert.deepEqual([body.staff.role, body.staff.firmId], ['operator', null]);
    const again = await run(['staff', 'invite', 'First@ops.example']);
    assert.equal(await sessionOf(visitor), 401);
    assert.equal((await take(again.stdout.trim())).status, 200);
    await refused(2, [[['staff', 'invite', '--name', 'Nobody'], /--role, --name and --email/]]);
    await refused(1, [[['staff', 'set', email, '--disabled', 'yes'], /last operator/]]);
  });

  it('takes an id where one address has several accounts', async () => {
    const email = 'both@ops.example';
    const { firmId } = world.ann.advisor;
    for (const of of [
      { firmId, role: 'reviewer' as const },
      { firmId: null, role: 'operator' as const },
    ])
      await inviteNewStaff(world.deps, { ...of, name: 'Both', email });
    await refused(1, [[['staff', 'invite', email], /several accounts/]]);
  });
});
