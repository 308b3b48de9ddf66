import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { inviteNewStaff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import { skip } from '../support/browser.ts';
import { totpOf } from '../support/totp.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const { world, origin, open } = useApp();

/** A link for somebody new, as an operator gets it. */
async function linkFor(role: StaffRole, name: string): Promise<string> {
  const firmId = role === 'operator' ? null : world().ann.advisor.firmId;
  const email = `${name.toLowerCase()}@staff.example`;
  const { invitation } = await inviteNewStaff(world().deps, { firmId, name, email, role });
  return invitation.link.slice(invitation.link.indexOf('/console'));
}

/** A device that has passkeys, and always agrees, but not before it is asked by a button. */
async function addAuthenticator(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function setUpApp(page: Page, password: string): Promise<{ secret: string; codes: string[] }> {
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Continue with a password' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await inspect(page, 'the authenticator');
  const secret = (await page.locator('.secret').innerText()).replaceAll(/\s/g, '');
  await page.getByLabel('Code from the app').fill(totpOf(secret));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
  await inspect(page, 'the recovery codes');
  return { secret, codes: await page.locator('.codes li').allInnerTexts() };
}

const inConsole = (page: Page) => page.locator('.console-main').waitFor();

describe('the console', { skip }, () => {
  it('lets somebody in with a password and an app, and again with a recovery code', async () => {
    const password = 'a long password';
    const { page, complaints } = await open(await linkFor('operator', 'Ona'), { ...phoneWide, bypassCSP: true });
    await page.waitForURL(`${origin()}/console/invitation`);
    await inspect(page, 'the invitation');
    const { codes } = await setUpApp(page, password);
    await page.getByRole('link', { name: 'I saved them' }).click();
    await inConsole(page);
    assert.deepEqual(complaints, []);
    await page.context().clearCookies();
    await page.goto(`${origin()}/console/staff`);
    await page.getByLabel('Email').fill('ona@staff.example');
    await page.getByLabel('Password').fill(password);
    await inspect(page, 'the sign-in');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await inspect(page, 'the second step');
    await page.getByLabel('Code').fill(codes[3] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Staff' }).waitFor();
    assert.equal(page.url(), `${origin()}/console/staff`);
  });

  it('lets somebody in with a passkey alone, who then invites a colleague and changes their mind', async () => {
    const { page, complaints } = await open('/problems', { ...desk, bypassCSP: true });
    await addAuthenticator(page);
    await page.goto(`${origin()}${await linkFor('compliance_officer', 'Cato')}`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await inConsole(page);

    await page.getByRole('button', { name: /^Cato/ }).click();
    await page.getByRole('menuitem', { name: 'Your sign-in' }).click();
    await page.getByText('You have no password.').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByRole('alert').getByText('all that you can sign in with').waitFor();
    await page.getByRole('link', { name: 'Console', exact: true }).click();

    await page.getByRole('link', { name: 'Staff' }).click();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Rune');
    await dialog.getByLabel('Email').fill('rune@staff.example');
    await inspect(page, 'the invitation of a colleague');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const link = await page.getByRole('dialog').getByText('/console/invitation#').innerText();
    assert.match(link, /email=rune%40staff\.example&code=[\w-]{43}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Rune/ });
    await row.getByText('Reviewer').waitFor();
    await row.getByRole('button', { name: 'Disable Rune' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable the account' }).click();
    await row.getByText('Disabled').waitFor();
    await row.getByRole('button', { name: 'Enable Rune' }).click();
    await row.getByText('Active').waitFor();

    await page.context().clearCookies();
    await page.goto(`${origin()}/console/sign-in?next=/console/staff`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await row.waitFor();
    assert.deepEqual(complaints, []);
  });
});
