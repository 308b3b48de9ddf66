import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { authorize, disconnect, listConnections } from '../../src/domain/access/grants.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { inviteAdvisor } from '../../src/domain/sign-in/invitations.ts';
import { password } from '../support/advisor-app.ts';
import { skip } from '../support/browser.ts';
import { addAuthenticator, desk, useApp } from './app-windows.ts';
import { assertFits, inspect } from './inspect.ts';

const phone = { viewport: { width: 360, height: 740 } };
const scope = 'openid offline_access core.contacts.read text.messaging.write';

const app = useApp();

beforeEach(async () => {
  if (!skip) await disconnect(app.world().deps, app.client().clientId, null);
});

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ann@test.example');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('an advisor signs in, allows an application and returns to it, without JavaScript', { skip }, async () => {
  const { page, complaints } = await app.open(app.client().authorizeUrl({ scope }), {
    ...phone,
    javaScriptEnabled: false,
  });
  await page.getByRole('heading', { name: 'Sign in to connect Sandbox CRM' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);

  await page.getByLabel('Email').fill('ann@test.example');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByRole('alert').first().innerText(), 'That email and password don’t match.');
  complaints.length = 0;
  await signIn(page);
  await page.getByRole('heading', { name: 'Sandbox CRM wants to act for you' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL('**/problems?*');
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const { status, body } = await app.client().redeem(code);
  assert.deepEqual([status, body.scope], [200, scope]);
  assert.deepEqual(complaints, []);
});

for (const [name, options] of Object.entries({
  'with JavaScript': phone,
  'without JavaScript, where they copy the code from the link': { ...phone, javaScriptEnabled: false },
}))
  test(`an advisor opens their link, chooses a password and is signed in, ${name}`, { skip }, async () => {
    const { deps, ann } = app.world();
    const email = `${name.length}@test.example`;
    const { advisorId } = await addAdvisor(deps, { firmId: ann.advisor.firmId, name: 'Rae', email });
    const { link } = await inviteAdvisor(deps, advisorId);
    const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '';
    const { page, complaints } = await app.open('/problems', options);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await page.goto(link);
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
    if (name.startsWith('without')) {
      await page.getByLabel('Code').fill(code);
      await page.getByLabel('Email').fill(email);
    } else {
      await page.getByLabel('Code').waitFor({ state: 'hidden' });
      assert.equal(await page.getByLabel('Email').inputValue(), email);
      assert.equal(page.url(), `${app.origin()}/invitation`, 'the address bar and the history don’t keep the code');
    }
    await page.getByLabel('New password').fill('a new password');
    await page.getByLabel('Repeat the password').fill('another one');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('alert').innerText(), 'The two passwords are different.');
    complaints.length = 0;
    await page.getByLabel('New password').fill('a new password');
    await page.getByLabel('Repeat the password').fill('a new password');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    assert.equal(await page.getByRole('status').innerText(), 'Your password is set, and you are signed in.');
    assert.deepEqual(complaints, []);
    for (const each of asked) assert.ok(!each.includes(code), `${each} has the code`);
  });

test('an advisor who isn’t the one signed in signs out, signs in and denies', { skip }, async () => {
  const { page, complaints } = await app.open('/sign-in', phone);
  await signIn(page);
  await page.goto(`${app.origin()}${app.client().authorizeUrl({ scope, state: 'mine' })}`);
  await page.getByRole('button', { name: 'Not you?' }).click();
  await page.getByRole('heading', { name: 'Sign in to connect Sandbox CRM' }).waitFor();
  await signIn(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL('**/problems?*');
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['access_denied', 'mine']);
  assert.deepEqual(complaints, []);
});

test('an advisor who doesn’t want to sign in can go back to the application', { skip }, async () => {
  const { page, complaints } = await app.open(app.client().authorizeUrl({ scope }), phone);
  await page.getByRole('button', { name: 'Don’t connect, go back' }).click();
  await page.waitForURL('**/problems?*');
  assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
  assert.deepEqual(complaints, []);
});

test('an application is disconnected after a question, which ends its refresh token', { skip }, async () => {
  const { deps, ann } = app.world();
  const { refresh_token: refreshToken } = await app.client().tokens(ann, scope);
  const { page, complaints } = await app.open('/connected-apps', phone);
  await signIn(page);
  await page.getByRole('button', { name: 'Disconnect Sandbox CRM' }).click();
  await page.getByRole('heading', { name: 'Disconnect Sandbox CRM?' }).waitFor();
  await page.getByRole('link', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Disconnect Sandbox CRM' }).click();
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
  assert.match(await page.getByRole('status').innerText(), /^Disconnected\./);
  assert.equal(await page.getByRole('heading', { name: 'Sandbox CRM' }).count(), 0);
  assert.deepEqual(await listConnections(deps, ann.advisor.advisorId), []);
  assert.equal((await app.client().refresh(refreshToken)).status, 400);
  assert.deepEqual(complaints, []);
});

test('a passkey is added, signs in with the button, and is removed', { skip }, async () => {
  const { page, complaints } = await app.open('/problems', desk);
  const { authenticatorId, devtools } = await addAuthenticator(page);
  await page.goto(`${app.origin()}/passkeys`);
  await signIn(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  assert.match(await page.getByRole('status').innerText(), /^Passkey added\./);
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  assert.equal(credentials.length, 1);
  assert.equal(credentials[0]?.isResidentCredential, true);

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const refused = page.getByRole('alert').filter({ visible: true });
  assert.equal(await refused.innerText(), 'This device already has a passkey of yours.');

  await withoutOffer(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${app.origin()}/sign-in?next=/passkeys`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  assert.match(await page.getByRole('listitem').innerText(), /last used on/);
  const [session] = await app
    .world()
    .database.asOwner<{ method: string }>('select method from sessions order by date_time_created desc limit 1');
  assert.equal(session?.method, 'passkey');

  await page.getByRole('button', { name: /^Remove / }).click();
  assert.match(await page.getByRole('status').innerText(), /^Passkey removed\./);
  assert.deepEqual(complaints, []);
});

test('an hour after signing in, adding a passkey asks for the password again and comes back to the button', {
  skip,
}, async () => {
  const { page, complaints } = await app.open('/problems', phone);
  await addAuthenticator(page);
  await page.goto(`${app.origin()}/passkeys`);
  await signIn(page);
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  await signedInAnHourAgo();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
  assert.equal(await page.getByLabel('Email').inputValue(), 'ann@test.example');
  // The browser focuses a moment after it shows.
  await page.locator('input[type=password]:focus').waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Press “Add a passkey” to continue.' }).waitFor();
  await page.locator('button:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Passkey added.' }).waitFor();
  assert.equal(complaints.filter((each) => !/status of 401/.test(each)).join(), '');
});

async function signedInAnHourAgo(): Promise<void> {
  await app.world().database.asOwner(`update sessions set date_time_created = now() - interval '1 hour'`);
}

test('an advisor allows an application with a passkey and no password', { skip }, async () => {
  const { page, complaints } = await app.open('/problems', phone);
  await addPasskey(page);
  await withoutOffer(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.goto(`${app.origin()}${app.client().authorizeUrl({ scope })}`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL('**/problems?*');
  const { body } = await app.client().redeem(new URL(page.url()).searchParams.get('code') ?? '');
  assert.equal(decodeJwt(body.id_token).email, 'ann@test.example');
  assert.deepEqual(complaints, []);
});

test('a passkey is offered in the email field', { skip }, async () => {
  const { page, complaints } = await app.open('/problems', phone);
  await addPasskey(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/connected-apps');
  assert.deepEqual(complaints, []);
});

/** Turns off the email field's own offer, which a virtual authenticator accepts unasked. */
async function withoutOffer(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
}

async function addPasskey(page: Page): Promise<void> {
  await addAuthenticator(page);
  await page.goto(`${app.origin()}/passkeys`);
  await signIn(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('status').waitFor();
}

test('if passkeys can’t work, their buttons stay hidden', { skip }, async () => {
  const { page } = await app.open('/problems', phone);
  await page.goto(`${app.origin().replace('localhost', '127.0.0.1')}/sign-in`);
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('button', { name: /passkey/ }).count(), 0);
  await signIn(page);
  await page.getByRole('link', { name: 'Passkeys' }).click();
  assert.match(await page.locator('main').innerText(), new RegExp(`open this page at ${app.origin()} in`));
  assert.equal(await page.getByRole('button', { name: /passkey/ }).count(), 0);
});

test('axe finds no barriers on the pages, light or dark, and they fit a phone', { skip }, async () => {
  const { deps, ann, clientId } = app.world();
  await authorize(deps, ann.advisor.advisorId, { clientId, scopes: ['core.contacts.read', 'offline_access'] });
  // Our pages' policy allows no other scripts, so it is bypassed for the one that inspects them.
  const { page } = await app.open('/problems', { ...phone, bypassCSP: true });
  const asked = app.client().authorizeUrl({ scope });
  const refused = app.client().authorizeUrl({ redirect_uri: 'https://elsewhere.example/' });
  const signedOut = ['/problems', '/problems/conflict', '/invitation', asked, refused, '/oauth/interaction/gone'];
  const signedIn = [
    '/connected-apps',
    `/connected-apps/disconnect?clientId=${clientId}`,
    '/connected-apps?done=disconnected',
    '/passkeys?continue=add',
    '/sessions',
    asked,
  ];
  for (const path of signedOut) await visit(page, path);
  // With these, `npm run faces` asks axe.
  for (const path of ['/', '/nothing-here', '/sign-in']) {
    await page.goto(`${app.origin()}${path}`);
    await assertFits(page, path);
  }
  await page.goto(`${app.origin()}/invitation#email=ann%40test.example&code=gone`);
  await page.getByLabel('New password').fill('a new password');
  await page.getByLabel('Repeat the password').fill('a new password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await inspect(page);
  await page.goto(`${app.origin()}/sign-in`);
  await page.getByLabel('Email').fill('ann@test.example');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await inspect(page);
  await signIn(page);
  for (const path of signedIn) await visit(page, path);
  await signedInAnHourAgo();
  await visit(page, '/sign-in?again=yes&next=/passkeys');
});

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${app.origin()}${path}`);
  await inspect(page, path);
}
