import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, suite, test } from 'node:test';
import { issueApiKey, unlimited } from '../../src/domain/access/api-keys.ts';
import { addApplication } from '../../src/domain/access/applications.ts';
import { disconnect, provision } from '../../src/domain/access/grants.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { byAdvisor, byService } from '../../src/domain/archive/archive.ts';
import { type Deliverer, deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { listDeliveries, redeliver, testWebhook } from '../../src/domain/webhooks/deliveries.ts';
import { pauseAfter } from '../../src/domain/webhooks/turns.ts';
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  removeWebhook,
  resealWebhookSecrets,
  rotateWebhookSecret,
  setWebhook,
  switchOff,
} from '../../src/domain/webhooks/webhooks.ts';
import { insertEvents } from '../../src/store/events/new-events.ts';
import { listActiveWebhooks, type WebhookRow } from '../../src/store/webhooks/webhooks.ts';
import { addContact, contactsPath } from '../address-book/address-book.ts';
import { castOf, type Subject } from '../events/storm.ts';
import { say } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';
import { makeReceiver, type Receiver } from './receiver.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob, deps, clientId } = world;

let secret: string;
let receiver: Receiver;
let webhooks: Deliverer;
beforeEach(async () => {
  receiver = await makeReceiver(() => secret);
  secret = await setWebhook(deps, clientId, receiver.url);
  await push();
  receiver.came.length = 0;
  receiver.accepted.length = 0;
});
afterEach(() => receiver.close());

const newNode = () => deliverer(deps, world.app.log as never);

/** Pushes everything that is due now. */
async function push(): Promise<void> {
  webhooks = newNode();
  await webhooks.tick();
  await webhooks.settled();
}

/** As if the pauses were over. */
const resume = () => world.database.asOwner(`update webhook_streams set not_before = '-infinity'`);
const tell = (subjects: Subject[]) =>
  deps.db.transaction((db) =>
    insertEvents(
      db,
      subjects.map(({ advisorId, memberId }) => ({ advisorId, memberId, type: 'message.received' })),
      new Date(),
    ),
  );
const types = (received = receiver.accepted) => received.map(({ body }) => body.type);
const status = async () => (await listWebhooks(deps)).find((each) => each.clientId === clientId);

suite('a webhook', () => {
  test('gets the same events as the feed, with the same ids, signed as Standard Webhooks says', async () => {
    const { cursor } = (await ann.call('GET', '/text/messaging/events?pageSize=200')).body;
    const phone = await acceptedPhone(world, ann);
    await world.clock.advance(24 * 60 * 60 * 1000);
    const { messageId } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
    await statusOf(ann, messageId, 'delivered');
    await push();
    const feed = (await ann.call('GET', `/text/messaging/events?cursor=${cursor}`)).body.data;
    const events = receiver.accepted.filter(({ body }) => !body.type.startsWith('contact.'));
    assert.deepEqual(
      events.map(({ body }) => body),
      feed.map((event: object) => ({ ...event, advisorId: ann.advisor.advisorId })),
    );
    for (const { headers, body } of events) {
      assert.equal(headers['webhook-id'], body.id);
      // Real time, though the sandbox's clock is a day ahead.
      assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now()) < 60_000);
      assert.doesNotMatch(JSON.stringify(body), /Hello/);
    }
    await push();
    assert.equal(receiver.came.length, receiver.accepted.length);
  });

  test('is told about contacts, by their ids', async () => {
    const contactId = await addContact(ann);
    await ann.call('PUT', `${contactsPath}/${contactId}`, { city: 'Chicago' });
    await push();
    await ann.call('DELETE', `${contactsPath}/${contactId}`);
    await push();
    assert.deepEqual(
      receiver.accepted.map(({ body }) => [body.type, body.data, body.advisorId]),
      ['created', 'updated', 'deleted'].map((what) => [`contact.${what}`, { contactId }, ann.advisor.advisorId]),
    );
  });

  test('is told what its scopes let it see', async () => {
    const { application } = await addApplication(deps, { name: 'Texts only', redirectUris: [] });
    await issueApiKey(deps, application.clientId, unlimited);
    const { advisorId } = bob.advisor;
    await issueToken(deps, { clientId: application.clientId, advisorId, scopes: ['text.messaging.read'] });
    const others = await makeReceiver(() => othersSecret);
    const othersSecret = await setWebhook(deps, application.clientId, others.url);
    await addContact(bob);
    await setConsent(world, bob, newPhone(), 'accepted');
    await setConsent(world, ann, newPhone(), 'accepted');
    await push();
    assert.deepEqual(types(others.accepted), ['consent.changed']);
    assert.deepEqual(types().toSorted(), ['consent.changed', 'consent.changed', 'contact.created']);
    await disableWebhook(deps, { clientId: application.clientId });
    await others.close();
  });

  test('is not told, once its authorization ended, what its scopes never let it see', async () => {
    const { application } = await addApplication(deps, { name: 'Contacts only', redirectUris: [] });
    await issueApiKey(deps, application.clientId, unlimited);
    const { advisorId } = bob.advisor;
    await issueToken(deps, { clientId: application.clientId, advisorId, scopes: ['core.contacts.read'] });
    const others = await makeReceiver(() => othersSecret);
    const othersSecret = await setWebhook(deps, application.clientId, others.url);
    await setConsent(world, bob, newPhone(), 'accepted');
    await disconnect(deps, application.clientId, advisorId);
    await push();
    assert.deepEqual(types(others.accepted), ['authorization.ended']);
    await disableWebhook(deps, { clientId: application.clientId });
    await others.close();
  });

  test('is told once that an advisor ended its client credentials', async () => {
    const { application } = await addApplication(deps, { name: 'Texter', redirectUris: ['https://texter.example/cb'] });
    const { advisorId } = ann.advisor;
    const texter = await makeReceiver(() => texterSecret);
    const texterSecret = await setWebhook(deps, application.clientId, texter.url);
    await provision(deps, advisorId, application.clientId);
    for (let twice = 0; twice < 2; twice += 1)
      await disconnect(deps, application.clientId, advisorId, byAdvisor(advisorId, null));
    await push();
    assert.deepEqual(
      texter.accepted.map(({ body }) => [body.type, body.data.reason]),
      [['authorization.ended', 'disconnected']],
    );
    await disableWebhook(deps, { clientId: application.clientId });
    await texter.close();
  });

  test('is told that its authorization ended, and nothing after that', async () => {
    const phones = [newPhone(), newPhone(), newPhone()];
    await setConsent(world, bob, phones[0] ?? '', 'accepted');
    await disconnect(deps, clientId, bob.advisor.advisorId);
    await setConsent(world, bob, phones[1] ?? '', 'accepted');
    await addContact(ann);
    await push();
    assert.deepEqual(
      receiver.accepted
        .filter(({ body }) => body.advisorId === bob.advisor.advisorId)
        .map(({ body }) => [body.type, body.data.reason]),
      [
        ['consent.changed', undefined],
        ['authorization.ended', 'disconnected'],
      ],
    );
    const asBob = { authorization: `Bearer ${await world.token(bob.advisor.advisorId)}` };
    await setConsent(world, bob, phones[2] ?? '', 'accepted');
    const feed = (await ann.call('GET', '/text/messaging/events?pageSize=200', undefined, asBob)).body.data;
    assert.ok(feed.every(({ type }: { type: string }) => type !== 'authorization.ended'));
    await push();
    assert.equal(receiver.accepted.at(-1)?.body.data.phone, phones[2]);
  });
});

suite('an endpoint that fails', () => {
  test('gets the event again after 5 s, then after growing pauses, and the next ones after it', async () => {
    const { advisorId } = ann.advisor;
    receiver.answer = () => 500;
    await setConsent(world, ann, newPhone(), 'accepted');
    await setConsent(world, ann, newPhone(), 'accepted');
    /** Pushes, and returns how long the pause is that begins meanwhile: at least, and at most. */
    const pushAndWait = async () => {
      const beganAt = Date.now();
      await push();
      const endedAt = Date.now();
      const [row] = await world.database.asOwner<{ until: Date }>(
        `select not_before as until
         from webhook_streams where advisor_id = $1 and feed = 'events' and failures > 0`,
        [advisorId],
      );
      const until = row?.until.getTime() ?? 0;
      return { least: until - endedAt, most: until - beganAt };
    };
    const first = await pushAndWait();
    assert.equal(receiver.came.length, 1);
    assert.ok(first.least <= 5_000 && first.most >= 5_000, JSON.stringify(first));
    // Long enough for what follows, on any machine.
    await world.database.asOwner(
      `update webhook_streams set not_before = not_before + interval '1 hour' where failures > 0`,
    );
    await push();
    assert.equal(receiver.came.length, 1);
    assert.equal((await status())?.status, 'failing');
    await resume();
    const second = await pushAndWait();
    assert.ok(second.least <= 9_000 && second.most >= 6_000, JSON.stringify(second));
    // Cut off where it is kept, this ends with half of a character, which PostgreSQL can't store.
    receiver.thanks = `${'a'.repeat(199)}😀`;
    receiver.answer = () => 200;
    await resume();
    await push();
    const ids = receiver.came.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    assert.equal(receiver.accepted.length, 2);
    assert.deepEqual((await status())?.status, 'on');
    const deliveries = await listDeliveries(deps, { clientId }, 4);
    assert.deepEqual(
      deliveries.map((each) => [each.attempt, each.status, each.response]),
      [
        [1, 200, `${'a'.repeat(199)}\ufffd`],
        [3, 200, `${'a'.repeat(199)}\ufffd`],
        [2, 500, 'not now'],
        [1, 500, 'not now'],
      ],
    );
  });

  test('fails for an advisor once, whichever of their events and contacts it refuses', async () => {
    receiver.answer = () => 500;
    await setConsent(world, ann, newPhone(), 'accepted');
    await addContact(ann);
    await push();
    assert.equal(receiver.came.length, 2);
    assert.equal((await status())?.reason, 'for 1 advisor');
    await setConsent(world, bob, newPhone(), 'accepted');
    await push();
    assert.equal((await status())?.reason, 'for 2 advisors');
  });

  test('is switched off after three days, which the list shows, and set again it goes on where it was', async () => {
    receiver.answer = () => 503;
    const phone = newPhone();
    await setConsent(world, ann, phone, 'accepted');
    await push();
    await world.database.asOwner(
      `update webhook_streams set not_before = '-infinity', failing_since = now() - interval '73 hours' where failures > 0`,
    );
    await push();
    const { status: is, reason } = (await status()) ?? {};
    assert.equal(is, 'off');
    assert.match(reason ?? '', /three days.*503/);
    await setConsent(world, ann, newPhone(), 'accepted');
    await resume();
    await push();
    assert.equal(receiver.came.length, 2);
    receiver.answer = () => 200;
    secret = await setWebhook(deps, clientId, receiver.url);
    await push();
    assert.equal(receiver.accepted.length, 2);
    assert.equal(receiver.accepted[0]?.body.data.phone, phone);
  });

  test('and answers 410 is switched off at once', async () => {
    receiver.answer = () => 410;
    await setConsent(world, ann, newPhone(), 'accepted');
    await push();
    assert.equal((await status())?.status, 'off');
    assert.match((await status())?.reason ?? '', /410/);
    const [entry] = await world.database.asOwner<{ actor: string; reason: string }>(
      `select e.actor, convert_from(b.body, 'UTF8')::json ->> 'reason' as reason
       from archive_entries e
       join archive_bodies b using (advisor_id, number)
       where e.meta::json ->> 'what' = 'webhook disabled'
       order by number desc
       limit 1`,
    );
    assert.deepEqual(entry, { actor: 'service', reason: 'the endpoint answered 410 Gone' });
  });

  test('and another is set in its place meanwhile doesn’t hold that one up, whatever it answers', async () => {
    let othersSecret = '';
    const other = await makeReceiver(() => othersSecret);
    after(() => other.close());
    const replace = async () => {
      othersSecret = await setWebhook(deps, clientId, other.url);
    };
    for (const answer of [410, 503]) {
      secret = await setWebhook(deps, clientId, receiver.url);
      receiver.answer = async () => {
        await replace();
        return answer;
      };
      await setConsent(world, ann, newPhone(), 'accepted');
      await push();
      await push();
      assert.equal((await status())?.status, 'on');
      assert.deepEqual(types(other.accepted.splice(0)), ['consent.changed']);
    }
  });

  test('and is replaced before its node has heard of it, doesn’t switch the other one off', async () => {
    const before = (await listActiveWebhooks(deps.db, new Date())).find((each) => each.clientId === clientId);
    await setWebhook(deps, clientId, `${receiver.url}/other`);
    assert.equal(await switchOff(deps, before as WebhookRow, 'it answered 410', byService), false);
    assert.equal((await status())?.status, 'on');
  });

  test('or is slow, or doesn’t listen, costs another application nothing', async () => {
    const { application } = await addApplication(deps, { name: 'Other', redirectUris: [] });
    await issueToken(deps, {
      clientId: application.clientId,
      advisorId: ann.advisor.advisorId,
      scopes: ['text.messaging.read'],
    });
    const others = await makeReceiver(() => othersSecret);
    const othersSecret = await setWebhook(deps, application.clientId, others.url);
    const mayAnswer = Promise.withResolvers<number>();
    receiver.answer = () => mayAnswer.promise;
    await setConsent(world, ann, newPhone(), 'accepted');
    webhooks = newNode();
    await webhooks.tick();
    await until('the other has it', () => others.accepted.length === 1);
    assert.equal(receiver.accepted.length, 0);
    mayAnswer.resolve(200);
    await webhooks.settled();
    assert.equal(receiver.accepted.length, 1);
    await disableWebhook(deps, { clientId: application.clientId });
    await others.close();
  });

  test('has 16 requests at once on a node, and the others as soon as these are answered', async () => {
    const subjects = await castOf(world, 40);
    secret = await setWebhook(deps, clientId, receiver.url);
    const mayAnswer = Promise.withResolvers<number>();
    receiver.answer = () => mayAnswer.promise;
    await tell(subjects);
    webhooks = newNode();
    await webhooks.tick();
    await until('16 wait', () => receiver.came.length === 16);
    mayAnswer.resolve(200);
    // Without another tick.
    await until('all have come', () => receiver.accepted.length === 40);
    await webhooks.settled();
    assert.equal(new Set(receiver.accepted.map(({ body }) => body.advisorId)).size, 40);
  });

  test('is told about a disabled advisor once they are enabled', async () => {
    const [subject] = await castOf(world, 1);
    secret = await setWebhook(deps, clientId, receiver.url);
    const disable = (disabled: boolean) =>
      world.database.asOwner('update advisors set disabled = $2 where advisor_id = $1', [subject?.advisorId, disabled]);
    await disable(true);
    await tell(subject ? [subject] : []);
    // Also one that was found to have something to tell before.
    await world.database.asOwner('update webhook_streams set behind = true where advisor_id = $1', [
      subject?.advisorId,
    ]);
    await push();
    assert.equal(receiver.came.length, 0);
    await disable(false);
    await push();
    assert.equal(receiver.accepted.length, 1);
  });

  test('the pauses grow by half from 5 s to six hours, with jitter', () => {
    assert.equal(pauseAfter(1), 5_000);
    for (let failures = 2; failures < 30; failures++) {
      const expected = Math.min(5_000 * 1.5 ** (failures - 1), 6 * 3_600_000);
      const pauses = Array.from({ length: 20 }, () => pauseAfter(failures));
      assert.ok(pauses.every((each) => each >= expected * 0.8 && each <= expected * 1.2));
      assert.ok(new Set(pauses).size > 1);
    }
  });
});

suite('several endpoints of an application', () => {
  let other: Receiver;
  let otherSecret: string;
  const addOther = async (types?: string[]) => {
    other = await makeReceiver(() => otherSecret);
    otherSecret = await addWebhook(deps, clientId, other.url, types);
  };
  afterEach(async () => {
    await removeWebhook(deps, { clientId, url: other.url });
    await other.close();
  });
  const statuses = async () =>
    Object.fromEntries(
      (await listWebhooks(deps)).filter((each) => each.clientId === clientId).map((each) => [each.url, each.status]),
    );

  test('each get the types that they asked for, with the same ids and a secret of their own', async () => {
    await addOther(['consent.changed', 'contact.deleted']);
    assert.notEqual(otherSecret, secret);
    const contactId = await addContact(ann);
    const phone = newPhone();
    await setConsent(world, ann, phone, 'accepted');
    await say(world, ann, phone, 'Hello');
    await push();
    await ann.call('DELETE', `${contactsPath}/${contactId}`);
    await push();
    const ids = (received: typeof receiver.accepted, wanted: string[]) =>
      received.flatMap(({ headers, body }) => (wanted.includes(body.type) ? headers['webhook-id'] : [])).toSorted();
    const asked = ['consent.changed', 'contact.deleted'];
    assert.deepEqual(types(other.accepted).toSorted(), asked);
    assert.deepEqual(ids(other.accepted, asked), ids(receiver.accepted, asked));
    assert.ok(types().includes('contact.created') && types().includes('message.received'));
    assert.equal((await testWebhook(deps, { clientId, url: other.url })).status, 200);
    assert.equal(types(other.accepted).at(-1), 'webhook.test');
    assert.equal(types().includes('webhook.test'), false);
  });

  test('don’t wait for each other, and are retried and switched off alone', async () => {
    await addOther();
    const mayAnswer = Promise.withResolvers<number>();
    other.answer = () => mayAnswer.promise;
    await setConsent(world, ann, newPhone(), 'accepted');
    webhooks = newNode();
    await webhooks.tick();
    await until('one has it', () => receiver.accepted.length === 1);
    mayAnswer.resolve(500);
    await webhooks.settled();
    assert.deepEqual(await statuses(), { [receiver.url]: 'on', [other.url]: 'failing' });
    await resume();
    other.answer = () => 410;
    await setConsent(world, ann, newPhone(), 'accepted');
    await push();
    assert.deepEqual(await statuses(), { [receiver.url]: 'on', [other.url]: 'off' });
    assert.equal(receiver.accepted.length, 2);
    other.answer = () => 200;
    await enableWebhook(deps, { clientId, url: other.url });
    await push();
    assert.deepEqual(types(other.accepted), ['consent.changed', 'consent.changed']);
    assert.equal(receiver.came.length, 2);
  });

  test('are redelivered to and disabled one at a time, and a removed one is told nothing more', async () => {
    await addOther(['consent.changed']);
    await setConsent(world, ann, newPhone(), 'accepted');
    await addContact(ann);
    await push();
    const eventIn = (type: string) => receiver.accepted.find(({ body }) => body.type === type)?.body.id;
    await redeliver(deps, { clientId, url: other.url }, eventIn('consent.changed'));
    assert.deepEqual([other.accepted.length, receiver.accepted.length], [2, 2]);
    await assert.rejects(redeliver(deps, { clientId, url: other.url }, eventIn('contact.created')), {
      code: 'not_found',
    });
    for (const act of [testWebhook, disableWebhook, enableWebhook, removeWebhook, rotateWebhookSecret])
      await assert.rejects(
        act(deps, { clientId }),
        ({ code, message }) => code === 'conflict' && message.includes(other.url),
      );
    await assert.rejects(testWebhook(deps, { clientId, url: 'https://partner.example/' }), { code: 'not_found' });
    const attempts = async (url?: string) => (await listDeliveries(deps, { clientId, url }, 3)).map((each) => each.url);
    assert.deepEqual(await attempts(other.url), [other.url, other.url]);
    assert.equal(new Set(await attempts()).size, 2);
    await removeWebhook(deps, { clientId, url: other.url });
    await setConsent(world, ann, newPhone(), 'accepted');
    await push();
    assert.deepEqual([other.came.length, receiver.accepted.length], [2, 3]);
    await addWebhook(deps, clientId, other.url);
  });

  test('are sixteen at most, each at an address of its own, and set refuses to choose', async () => {
    await addOther();
    await assert.rejects(setWebhook(deps, clientId, receiver.url), { code: 'conflict' });
    await assert.rejects(addWebhook(deps, clientId, other.url), { code: 'conflict', message: /already/ });
    for (const unknown of [['consent.changed', 'x'], []])
      await assert.rejects(addWebhook(deps, clientId, 'https://partner.example/', unknown), {
        code: 'invalid_request',
        message: /consent\.changed, .*webhook\.test/,
      });
    const more = Array.from({ length: 17 }, (_, index) => `https://partner.example/${index}`);
    const added = await Promise.allSettled(more.map((url) => addWebhook(deps, clientId, url)));
    const refused = added.flatMap((each) => (each.status === 'rejected' ? each.reason.message : []));
    assert.equal(refused.length, 3, 'also of those that are added at the same moment');
    for (const message of refused) assert.match(message, /has 16 webhooks, which is the most/);
    for (const [at, url] of more.entries())
      if (added[at]?.status === 'fulfilled') await removeWebhook(deps, { clientId, url });
  });
});

suite('an operator', () => {
  test('tests a webhook, and sees what came back', async () => {
    const { status: answered } = await testWebhook(deps, { clientId });
    assert.equal(answered, 200);
    assert.deepEqual(types(), ['webhook.test']);
    assert.equal(receiver.accepted[0]?.headers['webhook-id'], receiver.accepted[0]?.body.id);
  });

  test('sends an event again, with its id, also one that was never pushed', async () => {
    await setConsent(world, ann, newPhone(), 'accepted');
    const { data } = (await ann.call('GET', '/text/messaging/events?pageSize=1')).body;
    await push();
    const id = receiver.accepted[0]?.body.id;
    await redeliver(deps, { clientId }, id);
    await redeliver(deps, { clientId }, data[0].id);
    assert.deepEqual(
      receiver.accepted.map(({ headers }) => headers['webhook-id']),
      [id, id, data[0].id],
    );
    for (const unknown of ['evt_1_999999', 'evt_99999_1', 'chg_1_1_999999', 'x', ''])
      await assert.rejects(redeliver(deps, { clientId }, unknown), { code: 'not_found' });
  });

  test('rotates the secret: for a while, either one verifies', async () => {
    const old = secret;
    const fresh = await rotateWebhookSecret(deps, { clientId });
    await testWebhook(deps, { clientId });
    secret = fresh;
    await testWebhook(deps, { clientId });
    assert.equal(receiver.accepted.length, 2);
    await world.database.asOwner('update webhooks set old_secret_until = now()');
    secret = old;
    assert.equal((await testWebhook(deps, { clientId })).status, 401);
    secret = fresh;
    assert.equal((await testWebhook(deps, { clientId })).status, 200);
  });

  test('keeps the secret that was shown, if others are rotated or sealed anew at that moment', async () => {
    const late = () => {
      let shown: Promise<string> | undefined;
      const query = async (...args: Parameters<typeof deps.db.query>) => {
        const rows = await deps.db.query(...args);
        if (String(args[0]).includes('from webhooks w')) {
          shown ??= rotateWebhookSecret(deps, { clientId });
          await shown;
        }
        return rows;
      };
      return { deps: { ...deps, db: Object.assign(Object.create(deps.db), { query }) }, shown: () => shown };
    };
    const [resealing, rotating] = [late(), late()];
    await resealWebhookSecrets(resealing.deps);
    secret = (await resealing.shown()) ?? '';
    assert.equal((await testWebhook(deps, { clientId })).status, 200);
    await assert.rejects(rotateWebhookSecret(rotating.deps, { clientId }), { code: 'conflict' });
    secret = (await rotating.shown()) ?? '';
    assert.equal((await testWebhook(deps, { clientId })).status, 200);
  });

  test('can’t set an address without encryption, except on this machine', async () => {
    for (const url of ['http://partner.example/hook', 'ftp://partner.example', 'x', 'https://u:p@partner.example/'])
      await assert.rejects(setWebhook(deps, clientId, url), { code: 'invalid_request' });
    await setWebhook(deps, clientId, 'https://partner.example/hook');
    const [row] = await world.database.asOwner<{ sealed_secret: Buffer }>('select sealed_secret from webhooks');
    assert.doesNotMatch(row?.sealed_secret.toString('latin1') ?? 'whsec_', /whsec_/);
  });
});
