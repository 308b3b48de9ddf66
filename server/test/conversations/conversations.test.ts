import assert from 'node:assert/strict';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { fetchDueMedia } from '../../src/domain/consent/reply-media.ts';
import { sandboxSource } from '../../src/domain/sandbox/initial-consent.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { startRequestJobs } from '../../src/jobs/requests.ts';
import { makeLog } from '../../src/log.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { givePassword } from '../support/oauth-client.ts';
import {
  acceptedPhone,
  consentRequestsPath,
  messagesPath,
  newPhone,
  received,
  reply,
  send,
  setConsent,
} from '../support/texting.ts';
import type { Visit, Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, type World } from '../support/world.ts';

const api = '/app/api';
let pages: AdvisorApp;
let world: World;
/** Ann's browser. */
let ann: Visitor;
let formToken: string;
let origin: string | undefined;

before(async () => {
  pages = await makeAdvisorApp();
  world = pages.world;
  ({ visitor: ann, formToken } = await pages.signedIn());
});
after(() => pages.close());

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Visit> {
  return ann.call(method, api + path, { body, headers: { 'x-form-token': formToken } });
}

const textingNumber = () => world.ann.advisor.textingNumber ?? '';

async function conversationWith(phone: string) {
  const { body } = await call('GET', `/conversations?phone=${encodeURIComponent(phone)}`);
  return body.data[0];
}

async function itemsWith(memberId: number) {
  const { status, body } = await call('GET', `/conversations/${memberId}/items`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

suite('the advisor’s own app', () => {
  test('shows conversations by their latest text, and what was said in the order of time', async () => {
    const [first, second] = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
    await send(world.ann, { phone: first, text: 'One' });
    await world.clock.advance(1_000);
    await send(world.ann, { phone: second, text: 'Two' });
    await world.clock.advance(1_000);
    await received(world, first, 1);
    await reply(world, first, textingNumber(), 'Thanks, see you');
    const { body } = await call('GET', '/conversations');
    const [latest, before] = body.data;
    assert.deepEqual(
      [latest.phone, latest.unread, latest.last.direction, latest.last.text],
      [first, 1, 'in', 'Thanks, see you'],
    );
    assert.deepEqual([before.phone, before.unread, before.last.text], [second, 0, 'Two']);
    assert.equal(body.cursor, null);
    const items = await itemsWith(latest.memberId);
    assert.deepEqual(
      items.map(({ type, text, state }: { type: string; text?: string; state?: string }) => [type, text ?? state]),
      [
        ['consent', 'accepted'],
        ['text', 'One'],
        ['reply', 'Thanks, see you'],
      ],
    );
    assert.equal(items[1].application, 'Test CRM');
  });

  test('a consent request and what answers it are in the thread, in their wording', async () => {
    const phone = newPhone();
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
    await received(world, phone, 1);
    await reply(world, phone, textingNumber(), 'ACCEPT');
    await received(world, phone, 2);
    const { memberId, state } = await conversationWith(phone);
    assert.equal(state, 'accepted');
    const items = await itemsWith(memberId);
    const kinds = items.map(({ type, kind }: { type: string; kind?: string }) => kind ?? type);
    assert.deepEqual(kinds.toSorted(), ['confirmation', 'consent', 'consent', 'consent_request', 'reply']);
    assert.ok(items.every(({ type, text }: { type: string; text?: string }) => type === 'consent' || text));
  });

  test('the last text of a conversation is the one that its thread ends with, also if it waited, and has its time', async () => {
    for (const waitMs of [1_000, 3_600_000]) {
      const phone = newPhone();
      await send(world.ann, { phone, text: 'Written early', whenConsented: true });
      await received(world, phone, 1);
      await world.clock.advance(waitMs);
      await reply(world, phone, textingNumber(), 'ACCEPT');
      await received(world, phone, 3);
      const { memberId } = await conversationWith(phone);
      const endOf = async () => (await itemsWith(memberId)).at(-1);
      await until('it was handed over', async () => (await endOf()).handedOver !== null);
      const end = await endOf();
      const { last } = await conversationWith(phone);
      assert.equal(end.text, 'Written early');
      assert.deepEqual([last.direction, last.text, last.dateTime], ['out', end.text, end.handedOver]);
      const [listed] = (await call('GET', '/conversations')).body.data;
      assert.deepEqual([listed.phone, listed.last], [phone, last]);
      await reply(world, phone, textingNumber(), 'Fine');
      assert.equal((await conversationWith(phone)).last.text, 'Fine');
    }
  });

  test('a conversation is read, done, snoozed and has a draft; what is done comes back with the next text', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await send(world.ann, { phone, text: 'Hello' });
    await received(world, phone, 1);
    await reply(world, phone, textingNumber(), 'Hi');
    const { memberId } = await conversationWith(phone);
    const [{ replyId }] = (await itemsWith(memberId)).filter(({ type }: { type: string }) => type === 'reply');
    const inView = async (view: string) =>
      (await call('GET', `/conversations?view=${view}`)).body.data.some(
        (each: { phone: string }) => each.phone === phone,
      );
    assert.deepEqual([await inView('inbox'), await inView('unread')], [true, true]);
    assert.equal((await call('POST', `/conversations/${memberId}/read`, { upTo: replyId })).status, 204);
    assert.equal(await inView('unread'), false);

    await call('PUT', `/conversations/${memberId}/draft`, { text: 'About your' });
    assert.equal((await conversationWith(phone)).draft, 'About your');

    const until = world.clock.now().getTime() + 60_000;
    await call('POST', `/conversations/${memberId}/snooze`, { until });
    assert.deepEqual([await inView('inbox'), await inView('snoozed')], [false, true]);
    await world.clock.advance(61_000);
    assert.deepEqual([await inView('inbox'), await inView('snoozed')], [true, false]);

    await call('POST', `/conversations/${memberId}/done`, { done: true });
    assert.deepEqual([await inView('inbox'), await inView('done')], [false, true]);
    await world.clock.advance(1_000);
    await reply(world, phone, textingNumber(), 'One more thing');
    assert.deepEqual([await inView('inbox'), await inView('done')], [true, false]);
    assert.equal((await conversationWith(phone)).draft, 'About your');
  });

  test('finds people by name and texts by their words', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await world.ann.call('POST', '/core/contact/contacts', { firstName: 'Quincy', lastName: 'Quill', phone });
    await send(world.ann, { phone, text: 'The 50% discount ends in March' });
    const people = (await call('GET', '/search?text=quincy')).body;
    assert.deepEqual([people.people[0].name, people.people[0].phone, people.texts], ['Quincy Quill', phone, []]);
    assert.deepEqual([people.people[0].state, people.people[0].isHeld], ['accepted', false]);
    const texts = (await call('GET', '/search?text=MARCH%2050%25')).body;
    assert.deepEqual([texts.people, texts.texts.length], [[], 1]);
    assert.deepEqual([texts.texts[0].phone, texts.texts[0].name], [phone, 'Quincy Quill']);
    for (const sign of ['_ march', '\\ march', '50% _'])
      assert.deepEqual((await call('GET', `/search?text=${encodeURIComponent(sign)}`)).body.texts, [], sign);
  });

  test('finds a long word by its first 40 characters, so that none takes long to look for', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const [word, emoji] = ['Honorificabilitudinitatibusandmanymoreof', '🙂'.repeat(40)];
    await send(world.ann, { phone, text: `${word}them ${emoji}` });
    for (const looked of [`${word.toUpperCase()}US`, `${emoji}🙂 ${word}`])
      assert.equal((await call('GET', `/search?text=${encodeURIComponent(looked)}`)).body.texts.length, 1, looked);
  });

  test('says in which time zone a number is, if it can be in only one', async () => {
    for (const [phone, timeZone] of [
      ['+15125550142', 'America/Chicago'],
      ['+18505550142', null],
      ['+15005550142', null],
    ] as const) {
      await setConsent(world, world.ann, phone, 'accepted');
      const { memberId } = await conversationWith(phone);
      assert.equal((await call('GET', `/conversations/${memberId}`)).body.timeZone, timeZone, phone);
    }
  });

  test('what the app sends is the advisor’s act, and a repeat of it is not a second text', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const sends = async () =>
      ann.call('POST', `${api}/v1${messagesPath}`, {
        body: { phone, text: 'From me' },
        headers: { 'x-form-token': formToken, 'idempotency-key': 'a-b-c' },
      });
    const [one, other] = [await sends(), await sends()];
    assert.equal(one.status, 200);
    assert.deepEqual(other.body, one.body);
    assert.equal((await received(world, phone, 1)).length, 1);
    const { memberId } = await conversationWith(phone);
    const texts = (await itemsWith(memberId)).filter(({ type }: { type: string }) => type === 'text');
    assert.deepEqual(
      texts.map(({ actor, application }: Record<string, unknown>) => [actor, application]),
      [['advisor', null]],
    );
  });

  test('an operation has the same outcome at both doors, refusal for refusal', async () => {
    const outcome = ({ status, body }: Answer) => [status, body?.code ?? null, body?.details ?? null];
    const bodies = [
      undefined,
      {},
      { phone: '+1', text: '' },
      { phone: newPhone(), text: 'Hi' },
      { firstName: 'B', lastName: 'D', groupName: 'G' },
    ];
    for (const { method, path } of routes)
      for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : bodies) {
        const at = path.replace(/:\w+/g, '999999');
        const theirs = await world.ann.call(method, at, body);
        assert.deepEqual(
          outcome(await call(method, `/v1${at}`, body)),
          outcome(theirs),
          `${method} ${at} ${JSON.stringify(body)}`,
        );
      }
  });

  test('needs a session, and our own page for whatever changes something', async () => {
    const stranger = await pages.visitor().get(`${api}/session`);
    assert.deepEqual([stranger.status, stranger.body.code], [401, 'unauthorized']);
    const post = (headers: Record<string, string>) =>
      ann.call('POST', `${api}/v1${messagesPath}`, { body: {}, headers });
    const foreign: Record<string, string>[] = [
      {},
      { 'x-form-token': 'x'.repeat(43) },
      { 'x-form-token': formToken, origin: 'https://elsewhere.example' },
      { 'x-form-token': formToken, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) assert.equal((await post(headers)).body.code, 'forbidden', JSON.stringify(headers));
    assert.equal((await post({ 'x-form-token': formToken, 'sec-fetch-site': 'same-origin' })).status, 400);
  });

  test('another advisor’s conversation is none', async () => {
    const phone = await acceptedPhone(world, world.bob);
    await send(world.bob, { phone, text: 'From Bob' });
    const { body } = await world.bob.call('GET', `/text/messaging/consents?phone=${encodeURIComponent(phone)}`);
    assert.equal((await call('GET', `/conversations/${body.memberId}`)).status, 404);
    assert.deepEqual((await call('GET', `/conversations/${body.memberId}/items`)).body.data, []);
    assert.equal((await call('POST', `/conversations/${body.memberId}/done`, { done: true })).status, 404);
    assert.deepEqual((await call('GET', '/search?text=From%20Bob')).body.texts, []);
  });

  test('finds a text and loads its conversation back to it, with some that are older', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const texts = Array.from({ length: 110 }, (_, index) => (index === 40 ? 'The needle' : `Hay ${index}`));
    for (const text of texts) await send(world.ann, { phone, text });
    const { memberId } = await conversationWith(phone);
    const found = (await call('GET', '/search?text=needle')).body.texts;
    assert.equal(found.length, 1);
    const { itemId } = found[0];
    const { body } = await call('GET', `/conversations/${memberId}/items?from=${itemId}`);
    const ids = body.data.map(({ id }: { id: string }) => id);
    assert.equal(ids.indexOf(itemId), 24);
    assert.equal(body.data.at(-1).text, 'Hay 109');
    const older = (await call('GET', `/conversations/${memberId}/items?before=${body.cursor}`)).body;
    assert.equal(older.data.at(-1).text, 'Hay 15');
    // Of long replies it shows the beginning: there may be two thousand of them.
    const to = textingNumber();
    const long = { carrierMessageId: 'long', from: phone, to, text: 'x'.repeat(39_000), sentAt: new Date() };
    await receiveReply(world.deps, sandboxSource, long);
    const lengthFrom = async (query: string) =>
      (await call('GET', `/conversations/${memberId}/items${query}`)).body.data.at(-1).text.length;
    assert.deepEqual([await lengthFrom(''), await lengthFrom(`?from=${itemId}`)], [39_000, 4_000]);
    assert.equal((await call('GET', `/conversations/${memberId}/items?from=m999999`)).status, 404);
  });

  test('a picture that came is in no browser’s cache: the next who signs in has the same addresses', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await inject(world.app, {
      method: 'POST',
      url: `/sandbox/handset/${encodeURIComponent(phone)}/replies`,
      headers: { 'x-api-key': world.apiKey },
      payload: { to: textingNumber(), media: ['sample'] },
    });
    await fetchDueMedia(world.deps, () => {});
    const items = await itemsWith((await conversationWith(phone)).memberId);
    const picture = await ann.get(items.at(-1).media[0].url);
    assert.deepEqual([picture.status, picture.headers['content-type']], [200, 'image/png']);
    assert.equal(picture.headers['cache-control'], 'no-store');
  });

  test('has 50 streams at most, and a reader who reads nothing is not sent ahead', async (t) => {
    const jobs = startRequestJobs(world.deps, makeLog('silent'));
    t.after(() => jobs.stop());
    const sockets: Socket[] = [];
    world.app.server.on('connection', (socket) => sockets.push(socket));
    origin ??= await world.app.listen({ host: '127.0.0.1', port: 0 });
    const { cursor } = (await ann.get(`${api}/session`)).body;
    const headers = { cookie: ann.cookies.sentTo('/') };
    const open = () =>
      new Promise<number | undefined>((resolve) => {
        const request = get(`${origin}${api}/events?cursor=${cursor}`, { headers, agent: false }, (response) =>
          resolve(response.resume().statusCode),
        );
        t.after(() => request.destroy());
      });
    const statuses = [];
    for (let count = 0; count < 51; count += 1) statuses.push(await open());
    assert.deepEqual(statuses, [...Array(50).fill(200), 502]);
    // Nothing reaches the first one any more.
    const [stuck, going] = sockets;
    assert.ok(stuck && going);
    stuck.cork();
    const before = going.bytesWritten;
    await world.database.asOwner(
      `with head as (update archive_heads set last_event = last_event + 2000 where advisor_id = $1 returning last_event)
       insert into events (advisor_id, number, type, date_time)
       select $1, last_event - 2000 + n, 'book.changed', now() from head, generate_series(1, 2000) n`,
      [world.ann.advisor.advisorId],
    );
    await until('the others are told', () => going.bytesWritten - before > 200_000);
    assert.ok(stuck.writableLength < 100_000, `${stuck.writableLength} bytes wait`);
  });

  test('is told what happens as it happens, also what no partner is, until it signs out', async (t) => {
    const jobs = startRequestJobs(world.deps, makeLog('silent'));
    const leaving = new AbortController();
    t.after(() => leaving.abort());
    t.after(() => jobs.stop());
    origin ??= await world.app.listen({ host: '127.0.0.1', port: 0 });
    const { cursor } = (await ann.get(`${api}/session`)).body;
    const stream = await fetch(`${origin}${api}/events?cursor=${cursor}`, {
      headers: { cookie: ann.cookies.sentTo('/') },
      signal: leaving.signal,
    });
    let told = '';
    const reading = stream.body?.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write(text) {
          told += text;
        },
      }),
    );
    const phone = await acceptedPhone(world, world.ann);
    const { memberId } = await conversationWith(phone);
    await call('PUT', `/conversations/${memberId}/draft`, { text: 'Hm' });
    await send(world.ann, { phone, text: 'Hello' });
    for (const type of ['consent.changed', 'conversation.changed', 'message.status'])
      await until(`${type} is told`, () => told.includes(`event: ${type}\n`));
    await world.clock.advance(60_000);
    await until('the time is told', () => told.includes('event: now\n'));
    const feed = await world.ann.call('GET', `/text/messaging/events?cursor=${cursor}`);
    assert.ok(feed.body.data.length > 0);
    assert.ok(feed.body.data.every(({ type }: { type: string }) => type !== 'conversation.changed'));
    const end = (await call('GET', '/session')).body.cursor;
    const waiting = call('GET', `/v1/text/messaging/events?wait=2&cursor=${end}`);

    assert.equal((await ann.post('/sign-out', { formToken })).status, 303);
    assert.equal((await waiting).status, 401);
    await reading;
    assert.match(told, /event: end\n/);
  });
});

test('an advisor who asks for much delays themselves, and no other advisor', async () => {
  await givePassword(world, world.bob);
  const { visitor: ours } = await pages.signedIn();
  const { visitor: bob } = await pages.signedIn(world.bob.advisor.email);
  const search = `${api}/search?text=hello`;
  // On a busy machine, opening a connection takes as long as many searches.
  await Promise.all([ours, bob].flatMap((each) => Array.from({ length: 10 }, () => each.get(search))));
  let answered = 0;
  const many = Array.from({ length: 60 }, () => ours.get(search).then(() => (answered += 1)));
  await many[0];
  assert.equal((await bob.get(search)).status, 200);
  assert.ok(answered < 40, `${answered} were answered first`);
  await Promise.all(many);
});
