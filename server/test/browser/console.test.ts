import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { getStaff, inviteNewStaff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import { listPasskeys } from '../../src/domain/sign-in/passkeys.ts';
import { inviteStaff } from '../../src/domain/sign-in/staff-invitations.ts';
import { skip } from '../support/browser.ts';
import { addAuthenticator, desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const { world, origin, open } = useApp();

/** A link for somebody new, as an operator gets it. */
async function linkFor(role: StaffRole, name: string): Promise<string> {
  const firmId = role === 'operator' ? null : world().ann.advisor.firmId;
  const email = `${name.toLowerCase()}@staff.example`;
  const { invitation } = await inviteNewStaff(world().deps, { firmId, name, email, role });
  return invitation.link.slice(invitation.link.indexOf('/console'));
}

const inConsole = (page: Page) => page.locator('.console-main').waitFor();

describe('the console', { skip }, () => {
  it('lets somebody in by a passkey, who adds another, invites a colleague, and loses them all', async () => {
    const { page, complaints } = await open('/problems', { ...phoneWide, bypassCSP: true });
    const { devtools, authenticatorId } = await addAuthenticator(page);
    await page.goto(`${origin()}${await linkFor('compliance_officer', 'Cato')}`);
    await page.waitForURL(`${origin()}/console/invitation`);
    await inspect(page, 'the invitation');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await inConsole(page);

    await page.setViewportSize(desk.viewport);
    await page.getByRole('button', { name: /^Cato/ }).click();
    await page.getByRole('menuitem', { name: 'Your sign-in' }).click();
    await inspect(page, 'the passkeys');
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByRole('alert').getByText('all that you can sign in with').waitFor();
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Passkey added.').waitFor();
    const removal = page.getByRole('button', { name: /^Remove / });
    assert.equal(await removal.count(), 2);
    await removal.first().click();
    await page.getByText('Passkey removed.').waitFor();
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
    await inspect(page, 'the sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await row.waitFor();

    const cato = await getStaff(world().deps, 'cato@staff.example');
    const { link: replacing } = await inviteStaff(world().deps, cato);
    await page.goto('about:blank');
    await page.goto(replacing.replace(/^http:\/\/[^/]+/, origin()));
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('A new link for Cato to sign in with').waitFor();
    assert.equal((await listPasskeys(world().deps, cato)).length, 1);
    assert.deepEqual(complaints, []);
  });
});
