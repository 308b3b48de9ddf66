import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { makePasskey } from '../support/authenticator.ts';
import { givePassword } from '../support/oauth-client.ts';
import type { Visitor } from '../support/visitor.ts';

const email = 'ann@test.example';
let pages: AdvisorApp;
let addresses = 0;
before(async () => {
  pages = await makeAdvisorApp();
  await givePassword(pages.world, pages.world.bob);
});
after(() => pages.close());

function stranger(): Visitor {
  return pages.visitor(`203.0.113.${++addresses}`);
}

/** A browser in which the advisor signed in, and out again. */
async function knownBrowser(account = email): Promise<Visitor> {
  const visitor = stranger();
  await again(visitor, account);
  return visitor;
}

async function again(visitor: Visitor, account = email): Promise<void> {
  assert.equal((await visitor.signIn(account, password)).status, 303);
  visitor.cookies.delete('assent-8080-session');
}

/** As after many guesses, at every account from everywhere. */
async function attack(): Promise<void> {
  for (const account of [email, 'bob@test.example']) await stranger().signIn(account, 'guess');
  await pages.world.database.asOwner('update throttles set attempts_left = -1000');
}

async function endAttack(): Promise<void> {
  await pages.world.database.asOwner('delete from throttles');
}

test('guesses from many networks don’t keep the advisor out of a browser where they signed in before', async () => {
  const visitor = await knownBrowser();
  for (let network = 0; network < 6; network++) {
    const guesser = pages.visitor(`2001:db8:${network}::1`);
    await guesser.get('/sign-in');
    for (let guess = 0; guess < 10; guess++) await guesser.post('/sign-in', { email, password: `no ${guess}` });
  }
  assert.equal((await stranger().signIn(email, password)).status, 429, 'a new browser has to wait');
  assert.equal((await visitor.signIn(email, password)).status, 303);
  await endAttack();
});

test('the cookie lasts a year, and scripts can’t read it', async () => {
  const visitor = stranger();
  await visitor.get('/sign-in');
  const { headers } = await visitor.post('/sign-in', { email, password });
  const [cookie] = [headers['set-cookie'] ?? []].flat().filter((each) => each.startsWith('assent-8080-device'));
  assert.match(cookie ?? '', /^assent-8080-device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/);
});

test('after ten wrong passwords a known browser is like any other', async () => {
  const visitor = await knownBrowser();
  await attack();
  await visitor.get('/sign-in');
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess++)
    statuses.push((await visitor.post('/sign-in', { email, password: 'no' })).status);
  assert.deepEqual(statuses, [...Array(10).fill(400), 429]);
  await endAttack();
  assert.equal((await visitor.signIn(email, password)).status, 303);
  visitor.cookies.delete('assent-8080-session');
  await attack();
  assert.equal((await visitor.signIn(email, password)).status, 303, 'signing in restores its attempts');
  await endAttack();
});

test('a browser is known to the advisors who signed in there, and to nobody else', async () => {
  const visitor = await knownBrowser();
  const shared = await knownBrowser();
  await again(shared, 'bob@test.example');
  await attack();
  assert.equal((await visitor.signIn('bob@test.example', password)).status, 429);
  await again(shared);
  await again(shared, 'bob@test.example');
  await endAttack();
});

test('a copy of the cookie ends with the next sign-in', async () => {
  const visitor = await knownBrowser();
  const copied = visitor.cookies.get('assent-8080-device') ?? '';
  await again(visitor);
  const thief = stranger();
  thief.cookies.set('assent-8080-device', copied);
  await attack();
  assert.equal((await thief.signIn(email, password)).status, 429);
  await endAttack();
});

test('a new password makes every browser a new one', async () => {
  const visitor = await knownBrowser();
  await setAdvisor(pages.world.deps, pages.world.ann.advisor.advisorId, { password: 'another one' });
  await givePassword(pages.world, pages.world.ann);
  await attack();
  assert.equal((await visitor.signIn(email, password)).status, 429);
  await endAttack();
});

test('a passkey works in a new browser during an attack, and makes it a known one', async () => {
  const owner = stranger();
  await owner.signIn(email, password);
  await owner.get('/passkeys');
  const passkey = makePasskey(pages.world.config.publicUrl);
  const { body: options } = await owner.postJson('/passkeys/options', {});
  assert.equal((await owner.postJson('/passkeys', { response: passkey.register(options) })).status, 200);

  await attack();
  const visitor = stranger();
  await visitor.get('/sign-in');
  const { body: asked } = await visitor.postJson('/sign-in/passkey/options', {});
  const response = passkey.signIn(asked, pages.world.ann.advisor.advisorId);
  assert.equal((await visitor.postJson('/sign-in/passkey', { response })).status, 200);
  visitor.cookies.delete('assent-8080-session');
  assert.equal((await visitor.signIn(email, password)).status, 303);
  await endAttack();
});

test('an advisor has fifty known browsers at most, and expired ones are forgotten', async () => {
  const { database, deps } = pages.world;
  for (let browser = 0; browser < 51; browser++) await knownBrowser('bob@test.example');
  const devices = () =>
    database.asOwner('select from devices join advisors using (advisor_id) where email = $1', ['bob@test.example']);
  assert.equal((await devices()).length, 50);
  const visitor = await knownBrowser('bob@test.example');
  await database.asOwner(`update devices set date_time_expires = now() - interval '1 second'`);
  await attack();
  assert.equal((await visitor.signIn('bob@test.example', password)).status, 429);
  await endAttack();
  await forgetExpiredSignIns(deps);
  assert.equal((await devices()).length, 0);
});
