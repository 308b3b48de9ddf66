import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { decisions } from '../../src/domain/consent/review-decisions.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { doDueActions } from '../../src/domain/shared/pending-actions.ts';
import { composer, desk, phoneWide, say, useApp } from '../browser/app-windows.ts';
import { password } from '../support/advisor-app.ts';
import { skip } from '../support/browser.ts';
import { acceptedPhone, newPhone, received, send } from '../support/texting.ts';
import type { World } from '../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'assent-story-'));
after(() => rmSync(folder, { recursive: true }));

/** The sandbox's people, and a reviewer and an officer for Ann's texts. */
async function prepare({ deps, config, ann }: World): Promise<void> {
  const { firmId } = ann.advisor;
  await writeSandboxFile({ ...deps, config });
  await addStaff(deps, { firmId, name: 'Robin Reed', email: 'robin@staff.example', role: 'reviewer' });
  await addStaff(deps, { firmId, name: 'Olive Park', email: 'olive@staff.example' });
}

const app = useApp({ env: { ASSENT_DATA_DIR: folder }, prepare });
const phoneOf = (page: Page, name: string) => page.getByRole('region', { name: `${name}’s phone`, exact: true });
const next = (page: Page) => page.getByRole('region', { name: 'What to do next' });
const line = (page: Page, text: string) => page.locator('.coded li', { hasText: text }).first();

test('the story on one screen: asked, accepted, answered, planned, arrived and stopped, each live on both sides', {
  skip,
}, async () => {
  const { page, complaints } = await app.open('/', desk);
  await page.getByRole('link', { name: 'See the demonstration' }).click();
  const ana = phoneOf(page, 'Ana Ortiz');
  const window = page.getByRole('region', { name: 'What the advisor sees' });
  const code = page.getByLabel('The call as code');
  await code.getByText('assent.contacts.create').waitFor();

  await page.getByRole('button', { name: 'Send once they accept' }).click();
  await ana.getByText('Reply ACCEPT to agree').waitFor();
  await window.locator('.say.wait', { hasText: 'annual review' }).waitFor();
  await line(page, 'none → pending').waitFor();
  await code.getByText('whenConsented: true').waitFor();
  assert.match(await line(page, '…/messages').innerText(), /200.*awaiting_consent/s);

  await page.route('**/replies', async (route) => {
    const response = await route.fetch();
    // A late answer: by then, the button that was pressed is gone.
    await ana.getByRole('button', { name: 'Tuesday works' }).waitFor();
    await page.locator('main:focus').waitFor();
    await route.fulfill({ response });
  });
  await ana.getByRole('button', { name: 'ACCEPT' }).focus();
  await page.keyboard.press('Enter');
  await ana.locator('button:focus', { hasText: 'Tuesday works' }).waitFor();
  await page.unroute('**/replies');
  await say(ana as never, 'annual review').waitFor();
  await window.locator('.item', { hasText: 'annual review' }).getByText('Delivered').waitFor();
  await line(page, 'pending → accepted').waitFor();
  await ana.getByRole('button', { name: 'Tuesday works' }).click();
  await say(window as never, 'Tuesday works').waitFor();

  await next(page).getByRole('button', { name: 'Plan it' }).click();
  await window.getByText(/Every year · next/).waitFor();
  await code.getByText('scheduleDelivery: true').waitFor();
  const before = await page.locator('.clock time').innerText();
  await page.keyboard.press('Enter');
  // A minute later it shows something else.
  await page.locator('.clock time', { hasText: /9:00 AM$/ }).waitFor();
  assert.notEqual(await page.locator('.clock time').innerText(), before);
  await say(ana as never, 'Happy birthday').waitFor();
  await window.locator('.day', { hasText: 'Today' }).waitFor();

  await ana.getByRole('button', { name: 'STOP' }).click();
  await window.getByText('Ana opted out.').waitFor();
  await composer(page).fill('Please come back');
  assert.equal(await window.locator('button[type=submit]').isDisabled(), true);
  await next(page).getByText('That is the whole loop').waitFor();

  await ana.getByLabel('Reply from Ana’s phone').fill('START');
  await page.keyboard.press('Enter');
  await window.locator('.chip', { hasText: 'Accepted' }).first().waitFor();
  assert.deepEqual(
    complaints.filter((each) => !/status of 401/.test(each)),
    [],
  );
});

test('the whole story: asked, accepted, sent, answered and stopped, in two tabs and on a phone, without a reload', {
  skip,
}, async () => {
  const phone = newPhone();
  const { page, context, complaints } = await app.openApp('/app', desk);
  const streams: string[] = [];
  context.on('request', (request) => request.url().includes('/app/api/events') && streams.push(request.url()));
  const handset = await app.open(`/handset/${phone}`, phoneWide);

  await page.keyboard.press('c');
  await page.getByPlaceholder('Name or phone number').fill(phone);
  await page.keyboard.press('Enter');
  await composer(page).fill('Shall we meet on Tuesday?');
  await page.getByText('They haven’t agreed to texts yet.').waitFor();
  await page.getByRole('button', { name: 'Send once they accept' }).click();
  await page.locator('.say.wait', { hasText: 'Shall we meet on Tuesday?' }).waitFor();
  await page.locator('.top .chip', { hasText: 'Asked' }).waitFor();

  const other = await app.openTab(context, new URL(page.url()).pathname);
  await other.page.locator('.say.wait').waitFor();
  await handset.page.getByRole('button', { name: 'ACCEPT' }).click();
  await handset.page.locator('.received', { hasText: 'Shall we meet on Tuesday?' }).waitFor();
  for (const tab of [page, other.page]) {
    await tab.locator('.note', { hasText: 'accepted texts from you' }).waitFor();
    await tab.locator('.item', { hasText: 'Shall we meet on Tuesday?' }).getByText('Delivered').waitFor();
    assert.equal(
      await say(tab, 'Shall we meet on Tuesday?').count(),
      1,
      'the text that waited is the one that was sent',
    );
  }
  await handset.page.getByLabel('Your reply').fill('Gladly 👍');
  await handset.page.keyboard.press('Enter');
  await say(other.page, 'Gladly 👍').waitFor();
  await say(page, 'Gladly 👍').waitFor();
  assert.ok(streams.length <= 1, `the tabs share a stream: ${streams}`);

  await composer(page).fill('Until then');
  await other.page.locator('.talk', { hasText: 'Draft: Until then' }).waitFor();
  await page.reload();
  assert.equal(await composer(page).inputValue(), 'Until then', 'what was typed survives a reload');
  await composer(page).press('Control+Enter');
  await handset.page.locator('.received', { hasText: 'Until then' }).waitFor();

  await handset.page.getByRole('button', { name: 'STOP', exact: true }).click();
  await page.locator('.compose', { hasText: 'They can text START' }).waitFor();
  await composer(page).fill('Please come back');
  await page.waitForTimeout(500);
  assert.equal(await page.locator('.compose button[type=submit]').isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'Request consent' }).count(), 0);

  await page.getByRole('button', { name: /: account$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other.page]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate('localStorage.length'), 0, 'nothing stays in the browser');
  const unexpected = [...complaints, ...handset.complaints].filter((each) => !/status of 401/.test(each));
  assert.deepEqual(unexpected, []);
});

test('an advisor signs in, allows an application and returns to it', { skip }, async () => {
  const { authorizeUrl, redeem } = app.client();
  const scope = 'openid offline_access core.contacts.read text.messaging.write';
  const { page, complaints } = await app.open(authorizeUrl({ scope }), desk);
  await page.getByRole('heading', { name: 'Sign in to connect Sandbox CRM' }).waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await page.getByLabel('Email').fill('ann@test.example');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Sandbox CRM wants to act for you' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL('**/problems?*');
  const { status, body } = await redeem(new URL(page.url()).searchParams.get('code') ?? '');
  assert.deepEqual([status, body.scope], [200, scope]);
  assert.deepEqual(complaints, []);
});

async function openConsole(path: string, name: string) {
  const opened = await app.open(`/console/sign-in?next=/console/${path}`, desk);
  await opened.page.getByRole('button', { name }).click();
  return opened;
}

test('a held text goes out once a reviewer approves it, and an officer finds it with its thread', {
  skip,
}, async () => {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  await send(world.ann, { phone, text: 'Good morning' });
  await send(world.ann, { phone, text: 'It has guaranteed returns of 8 %' });
  const reviewer = await openConsole('reviews', 'Robin Reed');
  await reviewer.page.locator('.reviewed mark', { hasText: 'guaranteed returns' }).waitFor();
  await reviewer.page.getByRole('button', { name: 'Approve' }).click();
  await reviewer.page.getByText('Approved').waitFor();
  // As if the eight seconds had passed in which it can be undone.
  await world.database.asOwner(`update pending_actions set due_at = now() - interval '1 second'`);
  await doDueActions(world.deps, decisions, (fault) => assert.fail(String(fault)));
  const texts = await received(world, phone, 2);
  assert.equal(texts[1]?.text, 'It has guaranteed returns of 8 %');

  await indexArchive(world.deps);
  const { page, complaints } = await openConsole('archive', 'Olive Park');
  await page.getByPlaceholder('All of these words').fill('guaranteed');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.locator('.archive-list a', { hasText: 'guaranteed' }).first().click();
  await page.locator('[aria-current=true]', { hasText: 'It has guaranteed returns' }).waitFor();
  await page.getByText('Good morning').waitFor();
  assert.deepEqual([...reviewer.complaints, ...complaints], []);
});

test('the documentation is searched by keyboard alone, and a guide and the reference open', { skip }, async () => {
  const { page, complaints } = await app.open('/docs', desk);
  await page.keyboard.press('/');
  await page.keyboard.type('quiet hours');
  const found = page.getByRole('option', { name: /quiet hours/i }).first();
  await found.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  const href = await found.locator('a').getAttribute('href');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${href}`);

  await page.keyboard.press('/');
  await page.keyboard.type('send message');
  await page.getByRole('option', { name: /^Send message.*Reference/ }).click();
  await page.getByRole('heading', { name: 'Send message', exact: true }).waitFor();
  assert.match(page.url(), /\/docs\/reference#/);
  assert.deepEqual(complaints, []);
});
