import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { recordConsent } from '../../src/domain/consent/consents.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { checkMessage } from '../../src/domain/messages/message-checks.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import type { TextKind } from '../../src/domain/ports.ts';
import { Problem } from '../../src/domain/problems.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { ask, entries, kindsSent, stateOf } from '../support/people.ts';
import { acceptedPhone, handset, messagesPath, newPhone, reply, send } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';

const disabledCode = ['failed', 'account_disabled', null];

let world: World;
let ann: Person;
let sue: Staff;
before(async () => {
  world = await makeWorld({ dispatch: false });
  ann = world.ann;
  sue = await addStaff(world.deps, { firmId: ann.advisor.firmId, name: 'Sue', email: 'sue@test.example' });
});
beforeEach(() => setDisabled(false));
after(async () => {
  try {
    assert.deepEqual(await textsUnlikeEntries(world), [], 'the tables are what the entries say');
  } finally {
    await world.close();
  }
});

function setDisabled(disabled: boolean): Promise<void> {
  return setAdvisor(world.deps, ann.advisor.advisorId, { disabled });
}

/** By the handset's own door. */
async function say(phone: string, text: string): Promise<void> {
  const { status } = await reply(world, phone, ann.advisor.textingNumber ?? '', text);
  assert.equal(status, 202);
  await world.clock.advance(1_000);
}

async function sendTo(phone: string, more: object = {}): Promise<number> {
  const { body } = await send(ann, { phone, text: 'Hello', ...more });
  assert.deepEqual(body.failures, []);
  return body.successes[0].messageId;
}

/** Status, failure code and reason for being held, which only an account that is enabled can read. */
async function fateOf(messageId: number): Promise<(string | null)[]> {
  await world.dispatcher.settled();
  await setDisabled(false);
  const { body } = await ann.call('GET', `${messagesPath}/${messageId}`);
  return [body.status, body.failureCode, body.heldReason];
}

async function onPhone(phone: string): Promise<string[]> {
  await world.dispatcher.settled();
  return (await handset(world, phone)).map(({ text }) => text);
}

async function outcomeReasons(phone: string): Promise<string[]> {
  const rows = await world.database.asOwner<{ meta: string }>(
    `select meta
     from archive_entries
     join members using (advisor_id, member_id)
     where phone = $1 and kind = 'outcome'
     order by number`,
    [phone],
  );
  return rows.map(({ meta }) => JSON.parse(meta).reason);
}

suite('while an advisor’s account is disabled', () => {
  test('a text that waited for consent fails when the person says YES, and their consent is recorded', async () => {
    const phone = newPhone();
    const messageId = await sendTo(phone, { whenConsented: true });
    assert.equal((await onPhone(phone)).length, 1, 'the request');
    await setDisabled(true);
    await say(phone, 'YES');
    assert.equal((await onPhone(phone)).length, 1, 'neither the text nor a confirmation');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
    assert.deepEqual(await fateOf(messageId), disabledCode);
    assert.deepEqual(await outcomeReasons(phone), ['account_disabled']);
  });

  test('a text that waited fails when consent is recorded from paper', async () => {
    const phone = newPhone();
    const messageId = await sendTo(phone, { whenConsented: true });
    await setDisabled(true);
    await recordConsent(world.deps, { advisorId: ann.advisor.advisorId, phone, proof: 'Form 7', staff: sue });
    assert.deepEqual(await fateOf(messageId), disabledCode);
  });

  test('texts, requests and reminders that are queued fail when their turn comes', async () => {
    const [accepted, asked] = [await acceptedPhone(world, ann), newPhone()];
    const messageId = await sendTo(accepted);
    await ask(world, ann, asked);
    await say(asked, 'Who is this?');
    assert.deepEqual(await kindsSent(world, ann, asked), ['consent_request', 'reminder']);
    await setDisabled(true);
    assert.deepEqual([await onPhone(accepted), await onPhone(asked)], [[], []]);
    assert.deepEqual(await outcomeReasons(asked), ['account_disabled', 'account_disabled']);
    assert.deepEqual(await fateOf(messageId), disabledCode);
  });

  test('texts held for a reply fail at START, and a reviewer can’t release them', async () => {
    const phone = await acceptedPhone(world, ann);
    await say(phone, 'wrong number');
    const messageId = await sendTo(phone);
    await setDisabled(true);
    const filter = { firmId: ann.advisor.firmId, status: 'open', kind: 'possible_opt_out' } as const;
    const review = (await listReviews(world.deps, filter)).find((each) => each.phone === phone);
    const approving = decideReview(world.deps, review?.reviewId ?? -1, { decision: 'approved', staff: sue });
    await assert.rejects(approving, { code: 'conflict', detail: /disabled/ });
    await say(phone, 'START');
    assert.deepEqual(await onPhone(phone), []);
    assert.deepEqual(await fateOf(messageId), disabledCode);
  });

  test('a STOP is recorded and confirmed once, and HELP is answered', async () => {
    const phone = await acceptedPhone(world, ann);
    await setDisabled(true);
    for (const text of ['STOP', 'STOP', 'HELP']) await say(phone, text);
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.equal((await entries(world, ann, phone, 'text_in')).length, 3);
    const [confirmation = '', help = '', ...more] = await onPhone(phone);
    assert.match(confirmation, /^You have opted out/);
    assert.match(help, /Reply STOP/);
    assert.deepEqual(more, []);
  });

  test('START and a question are recorded, and get no answer', async () => {
    const [stopped, asked] = [newPhone(), newPhone()];
    await ask(world, ann, asked);
    await say(stopped, 'STOP');
    const before = [await onPhone(stopped), await onPhone(asked)];
    await setDisabled(true);
    await say(stopped, 'START');
    await say(asked, 'Who is this?');
    assert.deepEqual([await onPhone(stopped), await onPhone(asked)], before);
    assert.equal(await stateOf(world, ann, stopped), 'accepted');
    const kinds: TextKind[] = ['opt_out'];
    assert.deepEqual(await kindsSent(world, ann, stopped), kinds);
  });

  test('a request that was let in a moment before gets what the door would say', async () => {
    const phone = await acceptedPhone(world, ann);
    await setDisabled(true);
    const { advisorId } = ann.advisor;
    const asks = {
      send: () => sendMessage(world.deps, advisorId, { phone, text: 'Hello' }, byOperator),
      sendWhenConsented: () =>
        sendMessage(world.deps, advisorId, { phone: newPhone(), text: 'Hello', whenConsented: true }, byOperator),
      check: () => checkMessage(world.deps, advisorId, { phone, text: 'Hello' }, byOperator),
      ask: () => ask(world, ann, newPhone()),
    };
    for (const [name, run] of Object.entries(asks))
      await assert.rejects(run(), (error) => error instanceof Problem && error.code === 'unauthorized', name);
    assert.deepEqual(await kindsSent(world, ann, phone), []);
  });
});
