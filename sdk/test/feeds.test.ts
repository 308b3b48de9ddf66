import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assent } from '@assent/client';

function clientOf(answer: (url: URL) => unknown, maxRetries = 3): Assent {
  return new Assent({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'key',
    token: 'token',
    maxRetries,
    fetch: async (url) => Response.json(answer(new URL(url))),
  });
}

/** Three contacts, two on a page. */
const paged = clientOf(({ searchParams }) => {
  const page = Number(searchParams.get('page'));
  const data = [1, 2, 3].slice((page - 1) * 2, page * 2).map((contactId) => ({ contactId }));
  return { data, pageInfo: { page, pageSize: 2, totalRecord: 3, sortBy: 'fullName', sortDirection: 'asc' } };
});

/** Numbers from the cursor on, two on a page, up to five. */
const fed = clientOf(({ searchParams }) => {
  const from = Number(searchParams.get('cursor') ?? 0);
  const data = [1, 2, 3, 4, 5].filter((id) => id > from).slice(0, 2);
  const last = data.at(-1) ?? from;
  return { data: data.map((contactId) => ({ contactId })), cursor: String(last), more: last < 5 };
});

test('a list gives its first page to await, and every item to for await', async () => {
  const first = await paged.contacts.list({ pageSize: 2 });
  assert.deepEqual([first.data.length, first.pageInfo.totalRecord], [2, 3]);
  const ids: number[] = [];
  for await (const { contactId } of paged.contacts.list({ pageSize: 2 })) ids.push(contactId);
  assert.deepEqual(ids, [1, 2, 3]);
});

test('changes end when there is no more, and their cursor is where the next run goes on', async () => {
  const changes = fed.contacts.changes();
  const ids: number[] = [];
  for await (const { contactId } of changes) ids.push(contactId);
  assert.deepEqual([ids, changes.cursor], [[1, 2, 3, 4, 5], '5']);
  for await (const _ of fed.contacts.changes({ cursor: '5' })) assert.fail('There is nothing new.');
});

test('a cursor moves only after every item of its page was taken', async () => {
  const changes = fed.contacts.changes();
  for await (const { contactId } of changes) if (contactId === 4) break;
  assert.equal(changes.cursor, '2', 'the fourth was being worked on: it comes again');
});

test('a stream goes on after what there is', async () => {
  let calls = 0;
  const assent = clientOf(({ searchParams }) => {
    calls += 1;
    assert.equal(searchParams.get('wait'), '30');
    return { data: calls % 2 ? [] : [{ id: String(calls) }], cursor: String(calls), more: false };
  });
  const ids: string[] = [];
  const stream = assent.events.stream();
  for await (const { id } of stream) {
    ids.push(id);
    if (ids.length === 3) break;
  }
  assert.deepEqual([ids, stream.cursor], [['2', '4', '6'], '5']);
});

test('a stream that failed goes on where it was', async () => {
  let calls = 0;
  const assent = clientOf(({ searchParams }) => {
    calls += 1;
    if (calls === 2) throw new Error('The server is away.');
    return { data: [{ id: `after ${searchParams.get('cursor')}` }], cursor: String(calls), more: true };
  }, 0);
  const ids: string[] = [];
  const stream = assent.events.stream();
  const read = async () => {
    for await (const { id } of stream) if (ids.push(id) === 2) return;
  };
  await assert.rejects(read(), { code: 'connection', retryable: true });
  await read();
  assert.deepEqual(ids, ['after null', 'after 1']);
});
