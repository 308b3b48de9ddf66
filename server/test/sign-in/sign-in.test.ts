import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { after, before, test } from 'node:test';
import { addAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { givePassword } from '../support/oauth-client.ts';
import type { Answer } from '../support/world.ts';

let pages: AdvisorApp;
let addresses = 0;
before(async () => {
  pages = await makeAdvisorApp();
});
after(() => pages.close());

/** A visitor at a new address, so that one test's guesses don't throttle another's. */
function stranger() {
  return pages.visitor(`203.0.113.${++addresses}`);
}

test('signing in redirects, sets a cookie that scripts can’t read, and changes the form token', async () => {
  const visitor = stranger();
  await visitor.get('/sign-in');
  const formTokenBefore = visitor.cookies.get('assent-8080-form');
  const answer = await visitor.post('/sign-in', { email: 'ann@test.example', password, next: '/passkeys' });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, '/passkeys');
  const set = [answer.headers['set-cookie'] ?? []].flat();
  assert.match(set[0] ?? '', /^assent-8080-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(set[1] ?? '', /^assent-8080-form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.notEqual(visitor.cookies.get('assent-8080-form'), formTokenBefore);
  assert.equal((await visitor.get('/connected-apps')).status, 200);
});

test('in a sandbox a click signs in as any advisor, from our own page only, and it is on record', async () => {
  const visitor = stranger();
  const { advisorId, name } = pages.world.bob.advisor;
  const page = await visitor.get('/sign-in?next=/passkeys');
  assert.match(page.body, new RegExp(`<button class="button" name="advisorId" value="${advisorId}">${name}</button>`));
  const foreign = await visitor.post('/sign-in/sandbox', { advisorId: `${advisorId}`, formToken: 'x'.repeat(43) });
  assert.equal(foreign.status, 403);
  const answer = await visitor.submit(page, '/sign-in/sandbox', { advisorId: `${advisorId}` });
  assert.deepEqual([answer.status, answer.location], [303, '/passkeys']);
  const { body } = await visitor.get('/app/api/session');
  assert.equal(body.advisor.advisorId, advisorId);
  const entries = await pages.world.database.asOwner(
    `select from archive_entries where advisor_id = ${advisorId} and kind = 'sign_in' and meta like '%"sandbox"%'`,
  );
  assert.equal(entries.length, 1);
  for (const id of ['999', 'a', '1e99', '']) {
    const nobody = await visitor.post('/sign-in/sandbox', { advisorId: id, formToken: body.formToken });
    assert.equal(nobody.status, 303, id);
  }
  assert.equal((await visitor.get('/app/api/session')).body.advisor.advisorId, advisorId);
});

test('the email’s case and surrounding spaces don’t matter', async () => {
  assert.equal((await stranger().signIn(' ANN@Test.Example ', password)).status, 303);
});

test('only the hash of a session is stored', async () => {
  const visitor = stranger();
  await visitor.signIn('ann@test.example', password);
  const token = visitor.cookies.get('assent-8080-session') ?? '';
  const rows = await pages.world.database.asOwner<{ hash: string }>(
    "select encode(session_hash, 'hex') as hash from sessions",
  );
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('hex');
  assert.ok(rows.some((row) => row.hash === hash));
});

test('an advisor who is already signed in isn’t asked again', async () => {
  const visitor = stranger();
  await visitor.signIn('ann@test.example', password);
  const answer = await visitor.get('/sign-in?next=/passkeys');
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, '/passkeys');
});

test('a wrong password, no account, no password and a disabled account get the same answer after one derivation each', async () => {
  const { deps, ann } = pages.world;
  const { firmId } = ann.advisor;
  const off = await addAdvisor(deps, { firmId, name: 'off', email: 'off@test.example', password, disabled: true });
  assert.equal(off.disabled, true);
  const cases = {
    'ann@test.example': 'wrong',
    'nobody@test.example': password,
    'bob@test.example': password,
    'off@test.example': password,
  };
  const bodies = new Set<string>();
  for (const [email, given] of Object.entries(cases)) {
    const visitor = stranger();
    let answer: Answer | undefined;
    const derivations = await countingDerivations(async () => {
      answer = await visitor.signIn(email, given);
    });
    assert.equal(derivations, 1, email);
    assert.equal(answer?.status, 400, email);
    assert.match(answer?.body, /role="alert" id="problem">That email and password don’t match\.</);
    assert.equal(visitor.cookies.has('assent-8080-session'), false);
    bodies.add(
      answer?.body
        .replaceAll(email, 'EMAIL')
        .replace(/value="[\w-]{43}"/g, '')
        .replace(/data-form-token="[^"]+"/, ''),
    );
  }
  assert.equal(bodies.size, 1);
});

/** How often argon2 ran, which is most of an answer's time, without measuring time. */
async function countingDerivations(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ARGON2REQUEST') count++;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return count;
}

test('after ten guesses from one address it is 429 with the time to wait, even for the right password', async (t) => {
  // No time passes, or guesses would come back on a slow machine.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const visitor = stranger();
  await visitor.get('/sign-in');
  for (let guess = 0; guess < 10; guess++)
    assert.equal((await visitor.post('/sign-in', { email: 'ann@test.example', password: `no ${guess}` })).status, 400);
  const answer = await visitor.post('/sign-in', { email: 'ANN@test.example', password });
  assert.equal(answer.status, 429);
  assert.match(answer.headers['retry-after'] ?? '', /^([1-9]|10)$/);
  assert.match(answer.body, /Wait \d+ seconds?, then try again\. A passkey still works\./);
  assert.equal((await stranger().signIn('ann@test.example', password)).status, 303, 'another address is not affected');
});

test('an account that doesn’t exist is throttled like one that does', async (t) => {
  // No time passes, or guesses would come back on a slow machine.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const visitor = stranger();
  await visitor.get('/sign-in');
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess++)
    statuses.push((await visitor.post('/sign-in', { email: 'ghost@test.example', password: 'x' })).status);
  assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429]);
});

/** An account with a hash that takes no time: for one that doesn't exist, each guess takes 40 ms of hashing. */
async function addCheap(name: string): Promise<void> {
  const { deps, ann } = pages.world;
  const advisor = await addAdvisor(deps, { firmId: ann.advisor.firmId, name, email: `${name}@test.example` });
  await givePassword(pages.world, { advisor });
}

test('concurrent guesses get no further than guesses one by one', async () => {
  await addCheap('crowd');
  const visitor = stranger();
  await visitor.get('/sign-in');
  const begin = Date.now();
  const guesses = Array.from({ length: 40 }, (_, guess) =>
    visitor.post('/sign-in', { email: 'crowd@test.example', password: String(guess) }),
  );
  assertTried(await Promise.all(guesses), { burst: 10, perSecond: 0.1, begin });
});

test('guesses at one account from many addresses stop at fifty', async () => {
  await addCheap('many');
  const begin = Date.now();
  const answers: Answer[] = [];
  for (let source = 0; source < 6; source++) {
    const visitor = stranger();
    await visitor.get('/sign-in');
    for (let guess = 0; guess < 10; guess++)
      answers.push(await visitor.post('/sign-in', { email: 'many@test.example', password: 'x' }));
  }
  assertTried(answers, { burst: 50, perSecond: 0.1, begin });
});

test('one address’s guesses at many accounts stop at a hundred', async () => {
  const { database } = pages.world;
  const visitor = stranger();
  await visitor.get('/sign-in');
  const guess = (count: number) => visitor.post('/sign-in', { email: `spray${count}@test.example`, password: 'x' });
  await database.asOwner('delete from throttles');
  const begin = Date.now();
  await guess(0);
  // Most of them are taken off: to look at a guess takes 40 ms of hashing.
  const address = await database.asOwner(
    'update throttles set attempts_left = attempts_left - 89 where attempts_left = 99 returning 1',
  );
  assert.equal(address.length, 1);
  const answers: Answer[] = [];
  // A few at a time: all at once would be refused for a different reason.
  for (const first of [1, 11])
    answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, index) => guess(first + index)))));
  assertTried(answers, { burst: 10, perSecond: 1, begin });
});

/** The bucket's guesses, and those refilled meanwhile, were checked; all others were refused. */
function assertTried(answers: Answer[], bucket: { burst: number; perSecond: number; begin: number }): void {
  const tried = answers.filter(({ status }) => status === 400).length;
  const most = bucket.burst + Math.ceil(((Date.now() - bucket.begin) / 1000) * bucket.perSecond);
  assert.ok(tried >= bucket.burst && tried <= most, `${tried} guesses were looked at, at most ${most} may be`);
  assert.equal(answers.filter(({ status }) => status === 429).length, answers.length - tried);
}

test('an address without attempts left creates no buckets for made-up accounts', async () => {
  const { database } = pages.world;
  const visitor = pages.visitor('198.51.100.77');
  await visitor.get('/sign-in');
  const guess = (count: number) => visitor.post('/sign-in', { email: `made-up-${count}@test.example`, password: 'x' });
  await guess(0);
  await database.asOwner('update throttles set attempts_left = -60');
  const buckets = async () => (await database.asOwner('select from throttles')).length;
  const before = await buckets();
  for (let count = 1; count < 10; count++) assert.equal((await guess(count)).status, 429);
  assert.equal(await buckets(), before);
  await database.asOwner('delete from throttles');
});

test('addresses of one IPv6 network count as one', async (t) => {
  // No time passes, or guesses would come back on a slow machine.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  await addCheap('six');
  const statuses: number[] = [];
  for (let host = 1; host <= 12; host++) {
    const answer = await pages.visitor(`2001:db8:0:7::${host.toString(16)}`).signIn('six@test.example', 'x');
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429]);
  assert.equal((await pages.visitor('2001:db8:1:7::1').signIn('six@test.example', 'x')).status, 400);
});

test('all networks of one IPv6 site together get as many guesses at an account as one address', async () => {
  await addCheap('site');
  const begin = Date.now();
  const answers: Answer[] = [];
  for (let network = 0; network < 12; network++)
    answers.push(await pages.visitor(`2001:db8:48:${network}::1`).signIn('site@test.example', 'x'));
  assertTried(answers, { burst: 10, perSecond: 0.1, begin });
});

test('all networks of one IPv6 site together get a thousand guesses at many accounts', async () => {
  const { database } = pages.world;
  const guess = (site: number, network: number) =>
    pages.visitor(`2001:db8:${site}:${network}::1`).signIn(`${site}-${network}@test.example`, 'x');
  await database.asOwner('delete from throttles');
  await guess(50, 1);
  const site = await database.asOwner(
    'update throttles set attempts_left = attempts_left - 1100 where attempts_left = 999 returning 1',
  );
  assert.equal(site.length, 1);
  assert.equal((await guess(50, 2)).status, 429);
  assert.equal((await guess(51, 2)).status, 400);
});

test('successful sign-ins use up no attempts', async () => {
  const visitor = stranger();
  for (let time = 0; time < 15; time++) {
    visitor.cookies.clear();
    assert.equal((await visitor.signIn('ann@test.example', password)).status, 303);
  }
});

test('a throttled address doesn’t use up the account’s attempts', async () => {
  await addCheap('victim');
  const visitor = stranger();
  await visitor.get('/sign-in');
  for (let guess = 0; guess < 80; guess++)
    await visitor.post('/sign-in', { email: 'victim@test.example', password: 'x' });
  assert.equal((await stranger().signIn('victim@test.example', 'x')).status, 400);
});

test('signing out ends the session, also for somebody who copied the cookie', async () => {
  const visitor = stranger();
  await visitor.signIn('ann@test.example', password);
  const copied = visitor.cookies.get('assent-8080-session') ?? '';
  await visitor.get('/connected-apps');
  const answer = await visitor.post('/sign-out');
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, '/sign-in');
  assert.equal(visitor.cookies.has('assent-8080-session'), false);
  visitor.cookies.set('assent-8080-session', copied);
  assert.equal((await visitor.get('/connected-apps')).headers.location, '/sign-in?next=/connected-apps');
});

test('signing in again ends the previous session', async () => {
  const visitor = stranger();
  await visitor.signIn('ann@test.example', password);
  const first = visitor.cookies.get('assent-8080-session') ?? '';
  visitor.cookies.delete('assent-8080-session');
  await visitor.get('/sign-in');
  visitor.cookies.set('assent-8080-session', first);
  assert.equal((await visitor.post('/sign-in', { email: 'ann@test.example', password })).status, 303);
  assert.notEqual(visitor.cookies.get('assent-8080-session'), first);
  visitor.cookies.set('assent-8080-session', first);
  assert.equal((await visitor.get('/connected-apps')).status, 303);
});

test('a new password signs the advisor out everywhere, and so does disabling them', async () => {
  const { deps, ann } = pages.world;
  const { firmId } = ann.advisor;
  const { advisorId } = await addAdvisor(deps, { firmId, name: 'cy', email: 'cy@test.example', password });
  const visitor = stranger();
  await visitor.signIn('cy@test.example', password);
  await setAdvisor(deps, advisorId, { name: 'Cy' });
  assert.equal((await visitor.get('/connected-apps')).status, 200, 'a new name doesn’t');
  await setAdvisor(deps, advisorId, { password: 'another one' });
  assert.equal((await visitor.get('/connected-apps')).status, 303);

  await visitor.signIn('cy@test.example', 'another one');
  assert.equal((await visitor.get('/connected-apps')).status, 200);
  await setAdvisor(deps, advisorId, { disabled: true });
  assert.equal((await visitor.get('/connected-apps')).status, 303);
});

test('a password has at least eight characters', async () => {
  const { deps, ann } = pages.world;
  await assert.rejects(setAdvisor(deps, ann.advisor.advisorId, { password: '1234567' }), /at least 8 characters/);
});

test('a session lasts twelve hours, and expired ones are forgotten', async () => {
  const { database, deps } = pages.world;
  const visitor = stranger();
  await visitor.signIn('ann@test.example', password);
  const [lasting] = await database.asOwner<{ hours: number }>(
    `select extract(epoch from date_time_expires - date_time_created)::float8 / 3600 as hours from sessions`,
  );
  assert.equal(lasting?.hours, 12);
  await database.asOwner(`update sessions set date_time_expires = now() - interval '1 second'`);
  assert.equal((await visitor.get('/connected-apps')).status, 303);

  await database.asOwner(`update throttles set date_time_filled = now() - interval '2 hours' where attempts_left < 5`);
  await forgetExpiredSignIns(deps);
  const [left] = await database.asOwner<{ sessions: number; old: number; buckets: number }>(
    `select (select count(*) from sessions)::int as sessions, count(*)::int as buckets,
       (count(*) filter (where date_time_filled < now() - interval '1 hour'))::int as old
     from throttles`,
  );
  assert.equal(left?.sessions, 0);
  assert.equal(left?.old, 0);
  assert.ok((left?.buckets ?? 0) > 0, 'a bucket that is still refilling stays');
});

test('the browser is only sent on to one of our paths', async () => {
  const hostile = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example/',
    '/\n/evil.example/',
    ' /passkeys',
    'javascript:alert(1)',
    'passkeys',
    '/pass keys',
    '/päss',
    `/${'a'.repeat(3000)}`,
  ];
  const visitor = stranger();
  for (const next of hostile) {
    const answer = await visitor.signIn('ann@test.example', password, next);
    assert.equal(answer.headers.location, '/connected-apps', next);
    const again = await visitor.get(`/sign-in?next=${encodeURIComponent(next)}`);
    assert.equal(again.headers.location, '/connected-apps', next);
    visitor.cookies.clear();
    const shown = await visitor.get(`/sign-in?next=${encodeURIComponent(next)}`);
    assert.match(shown.body, /name="next" value="\/connected-apps"/, next);
  }
  const deep = '/oauth/interaction/abc?x=1&y=%20';
  assert.equal((await visitor.signIn('ann@test.example', password, deep)).headers.location, deep);
});

test('after a wrong password the page keeps the email and the next path, escaped, and announces the error to screen readers', async () => {
  const visitor = stranger();
  const { body } = await visitor.signIn('"><script>alert(1)</script>@x', 'x', '/passkeys');
  assert.doesNotMatch(body, /<script>/);
  assert.match(body, /value="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;@x"/);
  assert.match(body, /name="next" value="\/passkeys"/);
  assert.equal(body.match(/aria-describedby="problem"/g)?.length, 2);
  assert.doesNotMatch(body, /value="x"/, 'the password is not sent back');
});
