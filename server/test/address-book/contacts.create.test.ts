import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cpuMs } from '../support/cpu.ts';
import { assertProblem } from '../support/problem.ts';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  assertInvalid,
  callRaw,
  contactsPath,
  dateTime,
  findIds,
  getContact,
  illFormed,
  newcomer,
  testDoor,
  uuid,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

const lengths = {
  firstName: 200,
  lastName: 200,
  nickname: 200,
  emailAddress: 254,
  address1: 500,
  address2: 500,
  city: 500,
  state: 500,
  postalCode: 500,
};
const strings = [...Object.keys(lengths), 'phone', 'birthDate', 'clientAnniversary'];
const dates = ['birthDate', 'clientAnniversary'];
const whole = {
  firstName: 'Zoë',
  lastName: 'O’Neil',
  emailAddress: 'Zoe.ONeil+book@example.org',
  nickname: 'Zo 😀',
  birthDate: '1961-07-14',
  phone: '+12125550123',
  clientAnniversary: '2019-03-01',
  gender: 2,
  maritalStatus: 6,
  address1: '1 Main Street',
  address2: 'Apt 4',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
};

function create(fields: object) {
  return ann.call('POST', contactsPath, { firstName: 'Ann', lastName: 'Smith', ...fields });
}

test('a create is 200 with the new contact’s id and nothing else', async () => {
  const answer = await create({});
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.deepEqual(Object.keys(answer.body), ['id']);
  assert.ok(Number.isSafeInteger(answer.body.id) && answer.body.id >= 0);
});

test('every field is kept exactly as given', async () => {
  const kept = await getContact(ann, await addContact(ann, whole));
  for (const [field, value] of Object.entries(whole)) assert.equal(kept[field], value, field);
});

test('only the names are required; unset fields are left out of the contact', async () => {
  const { contactId, identifier, dateTimeCreated, dateTimeModified, ...rest } = await getContact(
    ann,
    await addContact(ann),
  );
  assert.deepEqual(rest, {
    firstName: 'Ann',
    lastName: 'Smith',
    source: 2,
    sourceText: 'API',
    isCrmLinkedContact: false,
    gender: 0,
    maritalStatus: 0,
    emailStatus: 0,
    disableEmailStatus: false,
    groupIds: [],
    customFields: [],
  });
  assert.ok(contactId >= 0);
  assert.match(identifier, uuid);
  assert.match(dateTimeCreated, dateTime);
  assert.equal(dateTimeModified, dateTimeCreated);
});

test('a first and a last name are required, and not null or blank', async () => {
  for (const field of ['firstName', 'lastName'])
    for (const value of [undefined, null, '', ' ', '\t\n\u00a0\u3000'])
      assertInvalid(await create({ [field]: value }), `/${field}`);
});

test('names are trimmed before their length is checked', async () => {
  const longest = 'x'.repeat(200);
  const kept = await getContact(ann, await addContact(ann, { firstName: '\t Mary  Ann \n', lastName: ` ${longest} ` }));
  assert.equal(kept.firstName, 'Mary  Ann');
  assert.equal(kept.lastName, longest);
});

test('null and "" in an optional field mean unset', async () => {
  const { firstName, lastName, ...optional } = whole;
  const bare = Object.keys(await getContact(ann, await addContact(ann)));
  for (const empty of [null, '']) {
    const fields = Object.fromEntries(Object.keys(optional).map((field) => [field, empty]));
    const kept = await getContact(ann, await addContact(ann, fields));
    assert.deepEqual(Object.keys(kept), bare);
    assert.deepEqual([kept.gender, kept.maritalStatus], [0, 0]);
  }
});

test('lengths are counted in code points, an astral character as one', async () => {
  for (const [field, max] of Object.entries(lengths)) {
    const domain = field === 'emailAddress' ? '@x.example' : '';
    const longest = `${'😀'.repeat(max - domain.length)}${domain}`;
    const kept = await getContact(ann, await addContact(ann, { [field]: longest }));
    assert.equal(kept[field], longest, field);
    assertInvalid(await create({ [field]: `${longest}a` }), `/${field}`);
  }
});

test('NUL and lone surrogates are refused in every string', async () => {
  for (const field of strings)
    for (const value of illFormed) assertInvalid(await create({ [field]: value }), `/${field}`);
});

test('types are never coerced: a number, boolean, array or object is not a string', async () => {
  for (const field of strings)
    for (const value of [0, 12125550123, true, [], ['Ann'], {}])
      assertInvalid(await create({ [field]: value }), `/${field}`);
});

test('dates are real calendar dates', async () => {
  for (const field of dates)
    for (const date of ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '1900-02-28'])
      assert.equal((await getContact(ann, await addContact(ann, { [field]: date })))[field], date);
});

test('anything but a real date as YYYY-MM-DD is 400', async () => {
  const unreal = ['2023-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '0000-01-01'];
  const unlike = ['2026-1-1', '20260101', '01/02/2026', '2026-01-01T00:00:00Z', '2026-W01-1', '+002026-01-01', 'today'];
  const sneaky = [' 2026-01-01', '2026-01-01\n', '２０２６-01-01', '2026‐01‐01', '2026-01-01[u-ca=hebrew]'];
  for (const field of dates)
    for (const date of [...unreal, ...unlike, ...sneaky]) assertInvalid(await create({ [field]: date }), `/${field}`);
});

test('gender is 0 to 3 and marital status 0 to 6', async () => {
  for (const [field, max] of Object.entries({ gender: 3, maritalStatus: 6 })) {
    for (let value = 0; value <= max; value++)
      assert.equal((await getContact(ann, await addContact(ann, { [field]: value })))[field], value);
    for (const value of [-1, max + 1, 0.5, 2 ** 53, '1', 'Male', true, [1], {}])
      assertInvalid(await create({ [field]: value }), `/${field}`);
  }
});

test('a number that overflows is 400', async () => {
  assertInvalid(
    await callRaw(ann, 'POST', contactsPath, '{"firstName":"Ann","lastName":"Smith","gender":1e400}'),
    '/gender',
  );
});

test('a phone has a plus sign and 8 to 15 digits, the first of which is not 0', async () => {
  for (const phone of ['+12345678', '+123456789012345', '+19999999999', '+99999999999'])
    assert.equal((await getContact(ann, await addContact(ann, { phone }))).phone, phone);
});

test('any other phone is 400', async () => {
  const lengthsOff = ['+', '+1', '+1234567', '+1234567890123456'];
  const unlike = [
    '12125550123',
    '+02125550123',
    '+1 212 555 0123',
    '+1-212-555-0123',
    '(212) 555-0123',
    '++12125550123',
  ];
  const sneaky = [
    '+１２１２５５５０１２３',
    '+1212555012３',
    '＋12125550123',
    '+12125550123\n',
    ' +12125550123',
    '+1212555O123',
  ];
  for (const phone of [...lengthsOff, ...unlike, ...sneaky, ' ']) assertInvalid(await create({ phone }), '/phone');
});

test('unknown fields are ignored, whatever they contain', async () => {
  const kept = await getContact(ann, await addContact(ann, { company: 'Initech', note: 'a\0b', nested: { a: [1] } }));
  assert.deepEqual(Object.keys(kept), Object.keys(await getContact(ann, await addContact(ann))));
});

test('__proto__ and constructor are unknown fields like any other', async () => {
  const hidden = '{"firstName":"Eve","lastName":"Eve","phone":"+12125550123"}';
  const given = `{"firstName":"Ann","lastName":"Smith","__proto__":${hidden},"constructor":{"prototype":${hidden}}}`;
  const { body } = await callRaw(ann, 'POST', contactsPath, given);
  const kept = await getContact(ann, body.id);
  assert.deepEqual([kept.firstName, kept.lastName, kept.phone], ['Ann', 'Smith', undefined]);
  assertInvalid(await callRaw(ann, 'POST', contactsPath, `{"__proto__":${hidden}}`), '/firstName');
  assert.equal(({} as { firstName?: string }).firstName, undefined);
});

test('if a key is repeated, the last one counts', async () => {
  const { body } = await callRaw(ann, 'POST', contactsPath, '{"firstName":1,"lastName":"Smith","firstName":"Ann"}');
  assert.equal((await getContact(ann, body.id)).firstName, 'Ann');
});

test('a body can’t set fields that the server owns', async () => {
  const owned = {
    contactId: 7,
    identifier: '00000000-0000-4000-8000-000000000000',
    advisorId: world.bob.advisor.advisorId,
    fullName: 'Eve',
    source: 12,
    sourceText: 'HTTPS lookup',
    remoteContactId: 'crm-1',
    remoteContactUrl: 'https://crm.example/1',
    isCrmLinkedContact: true,
    emailStatus: 2,
    disableEmailStatus: true,
    emailAddressDisposition: 4,
    dateTimeUnsubscribed: '2020-01-01T00:00:00.000Z',
    dateTimeCreated: '2020-01-01T00:00:00.000Z',
    dateTimeModified: '2020-01-01T00:00:00.000Z',
    groupIds: [1],
    groupCount: 3,
    customFields: [{ key: 'a', label: 'b', author: 'c', display: 'd', value: 'e' }],
    searchText: ' eve',
  };
  const fresh = ['contactId', 'identifier', 'dateTimeCreated', 'dateTimeModified'] as const;
  const [kept, plain] = [
    await getContact(ann, await addContact(ann, owned)),
    await getContact(ann, await addContact(ann)),
  ];
  for (const field of fresh) assert.notEqual(kept[field], owned[field]);
  for (const field of fresh) plain[field] = kept[field];
  assert.deepEqual(kept, plain);
});

test('every broken rule is reported at once, each with its path, rule and message', async () => {
  const answer = await ann.call('POST', contactsPath, { firstName: '', phone: '555', gender: 9 });
  assertProblem(answer, 'invalid_request');
  const told = answer.body.details.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`).sort();
  assert.deepEqual(told, ['/firstName minLength', '/gender enum', '/lastName required', '/phone pattern']);
  for (const { message } of answer.body.details) assert.match(message, /^\w+ .+\.$/);
});

test('a refused create creates no contact', async () => {
  const person = await newcomer(world);
  await person.call('POST', contactsPath, { firstName: 'Ann', lastName: 'Smith', phone: '555' });
  assert.deepEqual(await findIds(person), []);
});

test('two contacts may share a name, an email and a phone', async () => {
  const person = await newcomer(world);
  const [first, second] = [await addContact(person, whole), await addContact(person, whole)];
  assert.notEqual(first, second);
  assert.notEqual((await getContact(person, first)).identifier, (await getContact(person, second)).identifier);
  assert.deepEqual(await findIds(person, { phone: whole.phone }), [first, second]);
});

test('the next search shows a new contact, even with many creates at once', async () => {
  const person = await newcomer(world);
  const seen = Array.from({ length: 20 }, async (_, index) => {
    const contactId = await addContact(person, { firstName: `Number${index}` });
    return (await findIds(person, { pageSize: 200 })).includes(contactId);
  });
  assert.ok((await Promise.all(seen)).every(Boolean));
  assert.equal((await findIds(person, { pageSize: 200 })).length, 20);
});

testDoor(world, { method: 'POST', path: contactsPath, scope: 'core.contacts.write', body: whole });

test('an email address as long as a body can be is refused in a moment', async () => {
  const emailAddress = `a@${'.'.repeat(250_000)}@`;
  const spentMs = await cpuMs(async () => assertInvalid(await create({ emailAddress }), '/emailAddress'));
  assert.ok(spentMs < 1_000, `${spentMs} ms`);
});
