import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { say } from '../support/people.ts';
import { assertProblem } from '../support/problem.ts';
import { consentRequestsPath, consentsPath, lookUp, messagesPath, newPhone, send } from '../support/texting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
const json = { 'content-type': 'application/json' };

suite('a message is true in every case that produces it', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const post = (body: unknown, headers: Record<string, string> = {}) => world.ann.call('POST', contacts, body, headers);
  const failure = ({ body }: Answer): { message: string; retryable: boolean } => body.failureDetails[0];

  const bodies: [string, string | Buffer, RegExp][] = [
    ['that is empty', '', /^The body is empty/],
    ['that is cut off', '{"firstName":"Ann"', /^The body is not valid JSON\.$/],
    ['in Latin-1', Buffer.from('{"firstName":"André"}', 'latin1'), /^The body is not in UTF-8\.$/],
  ];
  for (const [what, body, detail] of bodies)
    test(`a body ${what} is told apart from the others`, async () => {
      assertProblem(await post(body, json), 'invalid_request', detail);
    });

  const types: [string, Record<string, string>, RegExp][] = [
    ['no type', {}, /Content-Type is missing/],
    ['another type', { 'content-type': 'text/plain' }, /Content-Type must be application\/json/],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, /must be in UTF-8/],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }, /must not be compressed/],
  ];
  for (const [what, headers, detail] of types)
    test(`a 415 says that the request has ${what}`, async () => {
      assertProblem(await post(Buffer.from('{}'), headers), 'unsupported_media_type', detail);
    });

  test('a path without its version is told to begin with it', async () => {
    const { apiKey, ann, app } = world;
    const headers = { authorization: `Bearer ${ann.token}`, 'x-api-key': apiKey };
    assertProblem(await inject(app, { method: 'GET', url: contacts, headers }), 'not_found', /must begin with \/v1/);
    assertProblem(
      await inject(app, { method: 'GET', url: '/core', headers }),
      'not_found',
      /^There is no such route\.$/,
    );
  });

  test('a number in quotes is told that a number is needed', async () => {
    for (const gender of ['1', 'male'])
      assertProblem(await post({ firstName: 'A', lastName: 'B', gender }), 'invalid_request', /the numbers 0, 1, 2, 3/);
  });

  test('one mistake is one broken rule', async () => {
    for (const text of ['', ' ', '\u0007'])
      assert.equal((await send(world.ann, { phone: newPhone(), text })).body.details.length, 1, JSON.stringify(text));
  });

  test('a name of white space is blank, not empty', async () => {
    assertProblem(await post({ firstName: ' ', lastName: 'B' }), 'invalid_request', /^firstName must not be blank\.$/);
  });

  test('a value without a name in the query is not shown as a name', async () => {
    assertProblem(await world.ann.call('GET', `${contacts}?=1`), 'invalid_request', /without a name/);
    assertProblem(await world.ann.call('GET', `${contacts}?%00=1`), 'invalid_request', /a name that contains NUL/);
  });

  test('NUL and half of a character are told apart', async () => {
    const city = (text: string) => post({ firstName: 'A', lastName: 'B', city: text });
    assertProblem(await city('\0'), 'invalid_request', /^city must not contain NUL/);
    assertProblem(await city('\ud800'), 'invalid_request', /^city must not contain an unpaired surrogate/);
  });

  test('a delivery date in the past is told what time it is on the domain’s clock', async () => {
    const past = world.clock.now().getTime() - 1;
    const answer = await send(world.ann, { phone: newPhone(), text: 'x', scheduleDelivery: true, deliveryDate: past });
    const [, now = ''] = /it is (\S+) now\.$/.exec(answer.body.detail) ?? [];
    assert.ok(Math.abs(Date.parse(now) - world.clock.now().getTime()) < 60_000, answer.body.detail);
  });

  test('a person who answered a consent request with a question is not said to be silent', async () => {
    const phone = newPhone();
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
    await say(world, world.ann, phone, 'Who is this?');
    const { message } = failure(await send(world.ann, { phone, text: 'x' }));
    assert.match(message, /has not yet accepted the consent request/);
  });

  test('a person who opted out is told which number START must go to', async () => {
    const phone = newPhone();
    await say(world, world.ann, phone, 'STOP');
    assert.match(failure(await send(world.ann, { phone, text: 'x' })).message, /texting START to \+15005552001\.$/);
  });

  test('a number that nobody owns is told how it gets a contact, and that works', async () => {
    const phone = newPhone();
    assertProblem(await lookUp(world.ann, phone), 'not_found', /A send or a consent request to it creates one/);
    await send(world.ann, { phone, text: 'x' });
    assert.equal((await lookUp(world.ann, phone)).status, 200);
  });

  test('a lookup without a number, or with two that don’t belong together, says so', async () => {
    const phone = newPhone();
    await send(world.ann, { phone, text: 'x' });
    const get = (query: string) => world.ann.call('GET', `${consentsPath}?${query}`);
    assertProblem(await get(''), 'invalid_request', /^phone or memberId is required\.$/);
    assertProblem(
      await get(`memberId=0&phone=${encodeURIComponent(phone)}`),
      'invalid_request',
      /don’t belong together/,
    );
  });

  test('quiet hours are said to hold everywhere that a number may be', async () => {
    const { advisorId } = world.ann.advisor;
    await setAdvisor(world.deps, advisorId, { quietHours: 'refuse', consentRequired: false });
    // 850 is in the Central and in the Eastern time zone. At 8:30 in New York it is 7:30 in Chicago.
    const now = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime()).toZonedDateTimeISO(
      'America/New_York',
    );
    const morning = now.add({ days: 1 }).withPlainTime('08:30');
    const schedule = { scheduleDelivery: true, deliveryDate: morning.epochMilliseconds };
    const later = failure(await send(world.ann, { phone: '+18505550100', text: 'x', ...schedule }));
    assert.match(later.message, /^The delivery date is not between 8:00 and 21:00 everywhere/);
    assert.equal(later.retryable, false);
    await world.clock.advance(morning.epochMilliseconds - world.clock.now().getTime());
    const soon = failure(await world.ann.call('POST', messagesPath, { phone: '+18505550100', text: 'x' }));
    assert.match(soon.message, /^It is not between 8:00 and 21:00 everywhere that \+18505550100 may be\./);
    assert.equal(soon.retryable, true);
  });
});
