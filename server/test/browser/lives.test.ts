import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { skip } from '../support/browser.ts';
import { memberOf } from '../support/people.ts';
import { newPhone, received, reply, send, statusOf } from '../support/texting.ts';
import { desk, useApp } from './app-windows.ts';

const app = useApp();
const hourMs = 3_600_000;

/** That these are on the page in this order. */
async function assertOrder(place: Locator, texts: string[]): Promise<void> {
  const shown = await place.innerText();
  const places = texts.map((text) => shown.indexOf(text));
  assert.ok(!places.includes(-1), shown);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    shown,
  );
}

test('a text that waited stands below what let it go and says so, in the app, on paper, in reviews and in the archive', {
  skip,
}, async () => {
  const world = app.world();
  const { ann, clock, deps } = world;
  const { firmId, advisorId } = ann.advisor;
  const kim = await addStaff(deps, { firmId, name: 'Kim Doe', email: 'kim@staff.example' });
  const rules = [{ name: 'Promise', action: 'hold', phrases: ['guaranteed'] }];
  await setLexicon(deps, firmId, JSON.stringify({ rules }));
  const phone = newPhone();
  const early = (await send(ann, { phone, text: 'Written early', whenConsented: true })).body.successes[0];
  await received(world, phone, 1);
  await clock.advance(9 * hourMs);
  await reply(world, phone, String(ann.advisor.textingNumber), 'ACCEPT');
  await statusOf(ann, early.messageId, 'delivered');
  await send(ann, { phone, text: 'It is guaranteed' });
  await clock.advance(2 * hourMs);
  const prompt = (await send(ann, { phone, text: 'At once' })).body.successes[0];
  await statusOf(ann, prompt.messageId, 'delivered');
  const { memberId } = await memberOf(world, ann, phone);

  const { page } = await app.openApp(`/app/c/${memberId}`, desk);
  const thread = page.getByRole('log');
  await thread.getByText('At once').waitFor();
  await assertOrder(thread, [
    'accepted texts from you',
    'Written early',
    'At once',
    'It is guaranteed',
    'Held · written',
  ]);
  const [review] = await listReviews(deps, { firmId, status: 'open', kind: null });
  await decideReview(deps, review?.reviewId ?? 0, { decision: 'approved', staff: kim });
  await thread.getByText(/Written \d+:\d\d .M · waited 2 h for a review · delivered \d+:\d\d .M/).waitFor();
  await thread.getByText(/Written .*\d+:\d\d .M · waited 9 h for consent · delivered \d+:\d\d .M/).waitFor();
  await page.emulateMedia({ media: 'print' });
  const printed = await thread.locator('.item', { hasText: 'Written early' }).locator('time').getAttribute('title');
  assert.match(printed ?? '', /^Written .+:\d\d UTC · handed over .+:\d\d UTC$/);

  await indexArchive(deps);
  const next = `/console/archive/${advisorId}/${review?.archiveNumber}`;
  const { page: console } = await app.open(`/console/sign-in?next=${next}`, desk);
  await console.getByRole('button', { name: 'Kim Doe, compliance officer' }).click();
  const archive = console.locator('.archive-thread');
  await archive.getByText('It is guaranteed').waitFor();
  await assertOrder(archive, [
    'Consent: Accepted',
    'Written early',
    'waited 9 h for consent',
    'At once',
    'Review: Approved',
    'It is guaranteed',
    'waited 2 h for a review',
  ]);
  await console.goto(`${app.origin()}/console/reviews/${review?.reviewId}`);
  const reviewed = console.locator('.review-flow');
  await reviewed.getByText('At once').waitFor();
  await assertOrder(reviewed, ['accepted texts', 'Written early', 'At once', 'guaranteed', 'waited 2 h for a review']);
});
