import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { listCalendar } from '../../src/domain/messages/calendar.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { acceptedPhone, messagesPath } from '../support/texting.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let ann: Visitor;

before(async () => {
  pages = await makeAdvisorApp();
  ({ visitor: ann } = await pages.signedIn());
});
after(() => pages.close());

const dayMs = 24 * 60 * 60 * 1000;

test('the app’s calendar has each repetition on its day, counted from the first, and nothing of others', async () => {
  const { world } = pages;
  const phone = await acceptedPhone(world, world.ann);
  const now = world.deps.clock.now();
  const year = now.getUTCFullYear() + 1;
  const at = (month: number, day: number) => Date.UTC(year, month, day, 17);
  const plan = async (text: string, deliveryDate: number, frequency: number) => {
    const answer = await world.ann.call('POST', messagesPath, {
      phone,
      text,
      scheduleDelivery: true,
      deliveryDate,
      frequency,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await plan('Monthly', at(0, 31), 3);
  await plan('Once', at(2, 10), 0);
  await plan('Later', at(5, 1), 0);
  const month = async (from: number, until: number) => {
    const { status, body } = await ann.get(`/app/api/calendar?from=${from}&until=${until}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ text, dates }: { text: string; dates: number[] }) => [
      text,
      dates.map((date) => new Date(date).getUTCDate()),
    ]);
  };
  assert.deepEqual(await month(at(2, 1), at(2, 31) + dayMs / 2), [
    ['Monthly', [31]],
    ['Once', [10]],
  ]);
  const lastOfFebruary = new Date(Date.UTC(year, 2, 0)).getUTCDate();
  assert.deepEqual(await month(at(1, 1), at(1, lastOfFebruary) + dayMs / 2), [['Monthly', [lastOfFebruary]]]);
  assert.deepEqual(await month(at(0, 1) - 40 * dayMs, at(0, 1)), []);
  assert.equal((await ann.get('/app/api/calendar?from=a&until=2')).status, 400);
});

test('the dates of a thousand texts are computed while others have their turn', async () => {
  const from = new Date('2027-01-01T00:00:00Z');
  const until = new Date(from.getTime() + 45 * dayMs);
  const row = { firstDate: from, deliveryDate: from, timeZone: 'America/New_York', frequency: 1 };
  const db = { ...pages.world.deps.db, query: async () => Array.from({ length: 1_000 }, () => row) as never };
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await turn();
  })();
  const { data } = await listCalendar({ db }, 1, { from, until });
  isDone = true;
  await others;
  assert.ok(turns >= 20, `${turns} turns`);
  assert.deepEqual(new Set(data.map(({ dates }) => dates.length)), new Set([45]));
});
