import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { compareTables } from '../../src/domain/archive/comparisons/tables.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { maintainOutbox } from '../../src/domain/delivery/outbox-maintenance.ts';
import { recordOutcome } from '../../src/domain/delivery/outcomes.ts';
import { makeLog } from '../../src/log.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { deps, database, ann } = world;
const migration = readFileSync(new URL('../../migrations/021-claims.sql', import.meta.url), 'utf8');
const node = { deps, log: makeLog('silent'), abandoned: new AbortController().signal };

async function sendTo(phone: string): Promise<number> {
  return (await send(ann, { phone, text: 'Hello' })).body.successes[0].messageId;
}

/** As the schema was when a text that is being submitted had a lease in the outbox, and every attempt had a row. */
async function goBack(): Promise<void> {
  await database.asOwner(
    `drop table claims;
     drop index dispatches_ready, messages_sent;
     alter table dispatches add column leased_until timestamptz`,
  );
}

/** As an earlier version left it when it died during the submission. */
async function wasSubmitting(messageId: number, leasedFor: string): Promise<void> {
  const values = [messageId];
  await database.asOwner(
    `update messages set status = 'submitting', attempt = attempt + 1 where message_id = $1`,
    values,
  );
  await database.asOwner(
    `insert into attempts (advisor_id, message_id, attempt, date_time_started)
     select advisor_id, message_id, attempt, date_time_created from messages where message_id = $1`,
    values,
  );
  await database.asOwner(
    `update dispatches set leased_until = now() + interval '${leasedFor}' where message_id = $1`,
    values,
  );
}

async function statusOf(messageId: number): Promise<[string, number]> {
  const [row] = await database.asOwner<{ status: string; attempt: number }>(
    'select status, attempt from messages where message_id = $1',
    [messageId],
  );
  return [row?.status ?? '', row?.attempt ?? 0];
}

test('an upgrade after a crash loses no text and sends none twice', async () => {
  const phone = await acceptedPhone(world, ann);
  const [sent, retried] = [await sendTo(phone), await sendTo(phone)];
  const { texts } = await claimTexts(deps, sandboxCarrierId, 10);
  for (const text of texts)
    await recordOutcome(node, text, text.messageId === sent ? { accepted: 'before' } : { notTaken: 'busy' });
  const [waiting, lost, leased] = [await sendTo(phone), await sendTo(phone), await sendTo(phone)];

  await goBack();
  await database.asOwner(
    `insert into attempts select advisor_id, message_id, attempt, date_time_sent, date_time_sent, 'accepted'
     from messages where message_id = $1`,
    [sent],
  );
  await database.asOwner(`update dispatches set not_before = now() where message_id = $1`, [retried]);
  for (const id of [lost, retried]) await wasSubmitting(id, '-1 minute');
  await wasSubmitting(leased, '1 minute');
  await database.asOwner(migration);
  // As a later migration does.
  await database.asOwner('alter table claims add column carrier_id smallint not null default 1');

  assert.deepEqual(await compareTables(deps), [], 'before the leases expire');
  await maintainOutbox(deps);
  assert.deepEqual(await compareTables(deps), []);
  assert.deepEqual(await Promise.all([sent, retried, waiting, lost, leased].map(statusOf)), [
    ['sent', 1],
    ['in_doubt', 2],
    ['queued', 0],
    ['in_doubt', 1],
    ['queued', 0],
  ]);
  const claimed = await claimTexts(deps, sandboxCarrierId, 10);
  assert.deepEqual(
    claimed.texts.map(({ messageId }) => messageId),
    [waiting],
    'only the text that nobody had begun to submit goes out',
  );
  const [claim] = await database.asOwner<{ messageIds: string[]; attempts: number[] }>(
    'select message_ids as "messageIds", attempts from claims order by claim_id limit 1',
  );
  assert.deepEqual([claim?.messageIds.map(Number), claim?.attempts], [[leased], [1]], 'a lease is kept');
});
