import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { passkeysMax } from '../../src/domain/sign-in/passkeys.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { makePasskey } from '../support/authenticator.ts';
import { givePassword } from '../support/oauth-client.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let origin: string;
let people = 0;
before(async () => {
  pages = await makeAdvisorApp();
  origin = pages.world.config.publicUrl;
});
after(() => pages.close());

/** An advisor for this test alone, signed in and on their passkeys page. */
async function someone(): Promise<{ advisorId: number; email: string; visitor: Visitor }> {
  const { deps, ann } = pages.world;
  const email = `person${++people}@test.example`;
  const { firmId } = ann.advisor;
  const advisor = await addAdvisor(deps, { firmId, name: 'Person', email });
  await givePassword(pages.world, { advisor });
  const visitor = pages.visitor(`198.51.100.${people}`);
  await visitor.signIn(email, password);
  await visitor.get('/passkeys');
  return { advisorId: advisor.advisorId, email, visitor };
}

async function withPasskey() {
  const person = await someone();
  const passkey = makePasskey(origin);
  const { body: options } = await person.visitor.postJson('/passkeys/options', {});
  const added = await person.visitor.postJson('/passkeys', { response: passkey.register(options) });
  assert.deepEqual(added.body, { location: '/passkeys?done=added' });
  return { ...person, passkey };
}

async function signInOptions(visitor: Visitor) {
  await visitor.get('/sign-in');
  return (await visitor.postJson('/sign-in/passkey/options', {})).body;
}

test('the options ask for a passkey that needs no email and verifies its owner', async () => {
  const { advisorId, email, visitor } = await someone();
  const { body: options } = await visitor.postJson('/passkeys/options', {});
  assert.deepEqual(options.rp, { name: 'Assent', id: 'localhost' });
  assert.equal(options.user.name, email);
  assert.equal(Buffer.from(options.user.id, 'base64url').toString(), String(advisorId));
  assert.equal(options.attestation, 'none');
  assert.equal(options.authenticatorSelection.residentKey, 'required');
  assert.equal(options.authenticatorSelection.userVerification, 'required');
  const asked = await signInOptions(pages.visitor());
  assert.equal(asked.rpId, 'localhost');
  assert.equal(asked.userVerification, 'required');
  assert.equal(asked.allowCredentials, undefined);
});

test('an added passkey is in the list and signs its owner in', async () => {
  const { advisorId, email, visitor, passkey } = await withPasskey();
  assert.match((await visitor.get('/passkeys?done=added')).body, /Passkey added\..*Added on .*not used yet/s);
  const other = pages.visitor();
  const response = passkey.signIn(await signInOptions(other), advisorId);
  const answer = await other.postJson('/sign-in/passkey', { response, next: '/passkeys' });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { location: '/passkeys' });
  assert.match((await other.get('/passkeys')).body, /last used on/);
  const [session] = await pages.world.database.asOwner<{ method: string }>(
    'select method from sessions join advisors using (advisor_id) where email = $1 order by method',
    [email],
  );
  assert.equal(session?.method, 'passkey');
});

test('an attestation, which nobody asked for, is not looked into: it may name addresses to fetch', async () => {
  const { visitor } = await someone();
  const passkey = makePasskey(origin);
  const { body: options } = await visitor.postJson('/passkeys/options', {});
  const attStmt = new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(64)],
    ['x5c', [new Uint8Array(100)]],
  ]);
  const response = passkey.register(options, { attestation: { fmt: 'android-key', attStmt } });
  const added = await visitor.postJson('/passkeys', { response });
  assert.deepEqual(added.body, { location: '/passkeys?done=added' });
});

test('a passkey that was asked for before a new password is not added after it', async () => {
  const { advisorId, email, visitor } = await someone();
  const passkey = makePasskey(origin);
  const { body: options } = await visitor.postJson('/passkeys/options', {});
  await setAdvisor(pages.world.deps, advisorId, { password: 'quite another one' });
  // Somebody who is signed in again: what counts is when it was asked for.
  const again = pages.visitor();
  await again.signIn(email, 'quite another one');
  await again.get('/passkeys');
  const added = await again.postJson('/passkeys', { response: passkey.register(options) });
  assert.equal(added.status, 400);
});

test('a password that the operator sets removes the passkeys', async () => {
  const { advisorId, passkey } = await withPasskey();
  await setAdvisor(pages.world.deps, advisorId, { password: 'quite another one' });
  const other = pages.visitor();
  const response = passkey.signIn(await signInOptions(other), advisorId);
  assert.equal((await other.postJson('/sign-in/passkey', { response })).status, 400);
});

test('after a passkey, too, the browser is only sent to one of our paths', async () => {
  const { advisorId, passkey } = await withPasskey();
  const other = pages.visitor();
  const response = passkey.signIn(await signInOptions(other), advisorId);
  const answer = await other.postJson('/sign-in/passkey', { response, next: '//evil.example' });
  assert.deepEqual(answer.body, { location: '/connected-apps' });
});

test('an existing passkey can’t be added again', async () => {
  const { visitor, passkey } = await withPasskey();
  const { body: options } = await visitor.postJson('/passkeys/options', {});
  assert.deepEqual(
    options.excludeCredentials.map(({ id }: { id: string }) => id),
    [passkey.id],
  );
  const again = await visitor.postJson('/passkeys', { response: passkey.register(options) });
  assert.equal(again.status, 400);
});

test('a response that wasn’t signed for us, here, now and by a verified person signs nobody in', async () => {
  const { advisorId, passkey } = await withPasskey();
  const stranger = makePasskey(origin);
  const other = pages.visitor('198.51.100.200');
  const fresh = () => signInOptions(other);
  const used = await fresh();
  const first = await other.postJson('/sign-in/passkey', { response: passkey.signIn(used, advisorId) });
  assert.equal(first.status, 200);
  other.cookies.clear();
  const signed = passkey.signIn(await fresh(), advisorId);
  const responses: Record<string, unknown> = {
    'a challenge a second time': passkey.signIn(used, advisorId),
    'a challenge of nobody': passkey.signIn({ challenge: 'AAAA' }, advisorId),
    'another origin': passkey.signIn(await fresh(), advisorId, { origin: 'http://localhost:1' }),
    'without a check of the person': passkey.signIn(await fresh(), advisorId, { userVerified: false }),
    'a registration': passkey.signIn(await fresh(), advisorId, { type: 'webauthn.create' }),
    'the handle of another advisor': passkey.signIn(await fresh(), advisorId + 1),
    'a passkey that nobody has': stranger.signIn(await fresh(), advisorId),
    'another passkey’s signature': { ...stranger.signIn(await fresh(), advisorId), id: passkey.id, rawId: passkey.id },
    'an id that is no string': { ...signed, id: 7 },
    'an id with a NUL': { ...passkey.signIn(await fresh(), advisorId), id: 'a\0' },
    nothing: null,
    text: 'passkey',
    'no response': { id: passkey.id },
  };
  for (const [name, response] of Object.entries(responses)) {
    const answer = await other.postJson('/sign-in/passkey', { response });
    assert.equal(answer.status, 400, name);
    assert.match(answer.body.message, /didn’t work/, name);
  }
});

test('a challenge expires after five minutes and is then forgotten', async () => {
  const { database, deps } = pages.world;
  const { advisorId, passkey } = await withPasskey();
  const other = pages.visitor();
  const options = await signInOptions(other);
  const [challenge] = await database.asOwner<{ seconds: number }>(
    `select extract(epoch from max(date_time_expires) - now())::float8 as seconds from passkey_challenges`,
  );
  assert.ok((challenge?.seconds ?? 0) > 290 && (challenge?.seconds ?? 0) <= 300);
  await database.asOwner(`update passkey_challenges set date_time_expires = now() - interval '1 second'`);
  const answer = await other.postJson('/sign-in/passkey', { response: passkey.signIn(options, advisorId) });
  assert.equal(answer.status, 400);
  await forgetExpiredSignIns(deps);
  assert.deepEqual(await database.asOwner('select 1 from passkey_challenges'), []);
});

test('a counter that doesn’t advance exposes a copied key', async () => {
  const { advisorId, passkey } = await withPasskey();
  const signIn = async (counter: number) => {
    const other = pages.visitor();
    const response = passkey.signIn(await signInOptions(other), advisorId, { counter });
    return (await other.postJson('/sign-in/passkey', { response })).status;
  };
  assert.equal(await signIn(5), 200);
  assert.equal(await signIn(5), 400);
  assert.equal(await signIn(6), 200);
});

test('a challenge to add a passkey is for one advisor, and not for signing in', async () => {
  const [one, two] = [await someone(), await someone()];
  const { body: options } = await one.visitor.postJson('/passkeys/options', {});
  const passkey = makePasskey(origin);
  assert.equal((await two.visitor.postJson('/passkeys', { response: passkey.register(options) })).status, 400);
  const signIn = await signInOptions(pages.visitor());
  assert.equal((await one.visitor.postJson('/passkeys', { response: passkey.register(signIn) })).status, 400);
  const fresh = (await one.visitor.postJson('/passkeys/options', {})).body;
  const elsewhere = passkey.register(fresh, { origin: 'https://evil.example' });
  assert.equal((await one.visitor.postJson('/passkeys', { response: elsewhere })).status, 400);
});

test('a removed passkey, or one of a disabled advisor, signs nobody in', async () => {
  const removed = await withPasskey();
  await removed.visitor.get('/passkeys');
  const other = await someone();
  const theirs = await other.visitor.post('/passkeys/remove', { passkeyId: removed.passkey.id });
  assert.equal(theirs.headers.location, '/passkeys', 'nothing was removed, and nothing else is said');
  assert.match((await removed.visitor.get('/passkeys')).body, /Remove/, 'another advisor can’t remove it');
  const answer = await removed.visitor.post('/passkeys/remove', { passkeyId: removed.passkey.id });
  assert.equal(answer.headers.location, '/passkeys?done=removed');
  assert.match((await removed.visitor.get('/passkeys?done=removed')).body, /Passkey removed\..*no passkey yet/s);

  const disabled = await withPasskey();
  await setAdvisor(pages.world.deps, disabled.advisorId, { disabled: true });
  for (const { advisorId, passkey } of [removed, disabled]) {
    const visitor = pages.visitor();
    const response = passkey.signIn(await signInOptions(visitor), advisorId);
    assert.equal((await visitor.postJson('/sign-in/passkey', { response })).status, 400);
    assert.equal(visitor.cookies.has('assent-8080-session'), false);
  }
});

test('an advisor has at most twenty passkeys, even if they are added at once', async () => {
  const { advisorId, visitor } = await someone();
  const wanted = passkeysMax + 5;
  const options = await Promise.all(Array.from({ length: wanted }, () => visitor.postJson('/passkeys/options', {})));
  const answers = await Promise.all(
    options.map(({ body }) => visitor.postJson('/passkeys', { response: makePasskey(origin).register(body) })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, passkeysMax);
  const rows = await pages.world.database.asOwner('select 1 from passkeys where advisor_id = $1', [advisorId]);
  assert.equal(rows.length, passkeysMax);
  const refused = await visitor.postJson('/passkeys/options', {});
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /20 passkeys already/);
});

test('five minutes after signing in, the session alone adds no passkey and removes none', async () => {
  const { advisorId, visitor, passkey } = await withPasskey();
  const { body: options } = await visitor.postJson('/passkeys/options', {});
  await setSignedIn(advisorId, '4 minutes 50 seconds');
  assert.equal((await visitor.postJson('/passkeys/options', {})).status, 200);

  await setSignedIn(advisorId, '5 minutes');
  const toAdd = '/sign-in?again=yes&next=%2Fpasskeys%3Fcontinue%3Dadd';
  const refused = await visitor.postJson('/passkeys/options', {});
  assert.deepEqual([refused.status, refused.body], [401, { location: toAdd }]);
  // Not even with options from when the sign-in was fresh.
  const added = await visitor.postJson('/passkeys', { response: makePasskey(origin).register(options) });
  assert.deepEqual([added.status, added.body], [401, { location: toAdd }]);
  const removed = await visitor.post('/passkeys/remove', { passkeyId: passkey.id });
  assert.equal(removed.location, `/sign-in?again=yes&next=%2Fpasskeys%3Fcontinue%3D${passkey.id}`);
  const rows = await pages.world.database.asOwner('select from passkeys where advisor_id = $1', [advisorId]);
  assert.equal(rows.length, 1);
});

test('an advisor who signs in again comes back to what they were doing', async () => {
  const { advisorId, email, visitor, passkey } = await withPasskey();
  await setSignedIn(advisorId, '1 hour');
  const { location = '' } = await visitor.post('/passkeys/remove', { passkeyId: passkey.id });
  const asked = await visitor.get(location);
  assert.equal(asked.status, 200);
  assert.match(asked.body, /<h1>Sign in again<\/h1>/);
  assert.match(asked.body, new RegExp(`value="${email}"`));
  const wrong = await visitor.submit(asked, '/sign-in', { email, password: 'wrong' });
  assert.match(wrong.body, /<h1>Sign in again<\/h1>/);

  const back = await visitor.submit(wrong, '/sign-in', { email, password });
  assert.equal(back.location, `/passkeys?continue=${passkey.id}`);
  const page = await visitor.get(back.location ?? '');
  assert.match(page.body, /role="status">You are signed in\. Press “Remove” next to Passkey to continue\./);
  assert.match(page.body, /aria-label="Remove Passkey[^"]*" autofocus>/);
  const removed = await visitor.submit(page, '/passkeys/remove', { passkeyId: passkey.id });
  assert.equal(removed.location, '/passkeys?done=removed');
  assert.equal((await visitor.get(location)).location, `/passkeys?continue=${passkey.id}`, 'nobody is asked twice');
});

test('a passkey, too, makes the sign-in fresh', async () => {
  const { advisorId, visitor, passkey } = await withPasskey();
  await setSignedIn(advisorId, '1 hour');
  await visitor.get('/sign-in?again=yes&next=/passkeys');
  const { body: options } = await visitor.postJson('/sign-in/passkey/options', {});
  const response = passkey.signIn(options, advisorId);
  assert.equal((await visitor.postJson('/sign-in/passkey', { response, next: '/passkeys' })).status, 200);
  await visitor.get('/passkeys');
  assert.equal((await visitor.postJson('/passkeys/options', {})).status, 200);
});

/** As if the advisor had signed in that long ago. */
async function setSignedIn(advisorId: number, ago: string): Promise<void> {
  await pages.world.database.asOwner(
    'update sessions set date_time_created = now() - $2::interval where advisor_id = $1',
    [advisorId, ago],
  );
}

test('without a session passkeys can’t be listed, added or removed', async () => {
  const visitor = pages.visitor();
  assert.equal((await visitor.get('/passkeys')).headers.location, '/sign-in?next=/passkeys');
  await visitor.get('/sign-in');
  assert.equal((await visitor.postJson('/passkeys/options', {})).status, 401);
  assert.equal((await visitor.postJson('/passkeys', { response: {} })).status, 401);
  assert.equal((await visitor.post('/passkeys/remove', { passkeyId: 'x' })).status, 303);
});

test('passkey attempts are throttled by address', async () => {
  const visitor = pages.visitor('198.51.100.250');
  await visitor.get('/sign-in');
  // All of them at once would wait for one another, on a busy machine until they time out.
  const attempts = () => Promise.all(Array.from({ length: 10 }, () => visitor.postJson('/sign-in/passkey', {})));
  let refused: Awaited<ReturnType<typeof attempts>>[number] | undefined;
  let made = 0;
  for (; !refused && made < 1_000; made += 10) refused = (await attempts()).find(({ status }) => status === 429);
  assert.ok(refused && made > 100, `${made} attempts`);
  assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/);
  assert.equal((await visitor.signIn('ann@test.example', password)).status, 303, 'a password still works');
});
