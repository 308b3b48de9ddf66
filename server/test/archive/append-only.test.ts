import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { exportContacts } from '../../src/domain/address-book/contact-exports.ts';
import { acceptedPhone, reply, send, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob, database } = world;

type Entry = { number: number; kind: string; actor: string; trace_id: string; meta: string; body: Buffer };

function entriesOf({ advisor }: typeof ann): Promise<(Entry & { salt: Buffer; commitment: Buffer })[]> {
  return database.asOwner(
    `select * from archive_entries left join archive_bodies using (advisor_id, number)
     where advisor_id = $1 order by number`,
    [advisor.advisorId],
  );
}

test('settings, texts in and out, outcomes, consent and exports are entries, numbered from 1 without gaps, with who did it', async () => {
  const phone = await acceptedPhone(world, ann);
  const text = 'Grüße 👋 é e\u0301';
  const { headers, body } = await send(ann, { phone, text });
  await statusOf(ann, body.successes[0].messageId, 'delivered');
  await reply(world, phone, ann.advisor.textingNumber ?? '', 'STOP');
  const hasOutcomes = async () => (await entriesOf(ann)).filter(({ kind }) => kind === 'outcome').length === 2;
  await until('the confirmation is delivered', hasOutcomes);
  for await (const _ of exportContacts(world.deps, ann.advisor.advisorId)) break;
  const entries = await entriesOf(ann);
  assert.deepEqual(
    entries.map(({ number, kind, actor }) => [number, kind, actor.replace(/:\d+$/, '')]),
    [
      [1, 'setting', 'operator'],
      [2, 'consent', 'operator'],
      [3, 'text_out', 'application'],
      [4, 'outcome', 'carrier'],
      [5, 'text_in', 'person'],
      [6, 'consent', 'person'],
      [7, 'text_out', 'service'],
      [8, 'outcome', 'carrier'],
      [9, 'export', 'operator'],
    ],
  );
  assert.equal(entries[2]?.body.toString(), text);
  assert.equal(entries[2]?.trace_id, headers['x-trace-id']);
  assert.deepEqual(JSON.parse(entries[2]?.meta ?? ''), { kind: 'text', from: ann.advisor.textingNumber, to: phone });
  assert.equal(entries[4]?.body.toString(), 'STOP');
});

test('with many concurrent sends by two advisors, numbers have no gaps and each commitment matches its body', async () => {
  const phones = { ann: await acceptedPhone(world, ann), bob: await acceptedPhone(world, bob) };
  const sends = Array.from({ length: 100 }, (_, index) =>
    send(index % 2 ? ann : bob, { phone: index % 2 ? phones.ann : phones.bob, text: `${index}` }),
  );
  await Promise.all(sends);
  for (const person of [ann, bob]) {
    const entries = await entriesOf(person);
    assert.deepEqual(
      entries.map(({ number }) => number),
      entries.map((_, index) => index + 1),
    );
    const withBodies = entries.filter(({ kind }) => kind !== 'outcome');
    assert.ok(withBodies.filter(({ kind }) => kind === 'text_out').length >= 50);
    for (const { salt, body, commitment } of withBodies)
      assert.ok(createHash('sha256').update(salt).update(body).digest().equals(commitment));
    assert.equal(new Set(withBodies.map(({ salt }) => salt.toString('hex'))).size, withBodies.length);
  }
});

test('the application’s role can’t change or remove entries and bodies', async () => {
  for (const table of ['archive_entries', 'archive_bodies'])
    for (const sql of [`update ${table} set number = 1`, `delete from ${table}`, `truncate ${table}`])
      await assert.rejects(database.pool.query(sql), /permission denied/, sql);
});

test('nor can the owner without disabling the triggers, nor a replica', async () => {
  for (const table of ['archive_entries', 'archive_bodies'])
    for (const sql of [`update ${table} set number = 1`, `delete from ${table}`, `truncate ${table}`]) {
      await assert.rejects(database.asOwner(sql), /append-only/, sql);
      await assert.rejects(database.asOwner(`set session_replication_role = replica; ${sql}`), /append-only/, sql);
    }
});
