import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import type { Db } from '../../src/store/database/db.ts';
import { claimDispatches } from '../../src/store/delivery/claims.ts';
import { failDispatches, listExpired, releaseDeferred, updateHours } from '../../src/store/delivery/dispatches.ts';
import { recordOutcomes } from '../../src/store/delivery/outcomes.ts';
import { recordReceipts } from '../../src/store/delivery/receipts.ts';
import { insertTexts, type NewText } from '../../src/store/texting/texts.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date();
const times = { now, realNow: now };
const claim = { ...times, carrierId: 1, limit: 200, leasedUntil: now, allowed: [], heldKinds: [], owedKinds: [] };

/** The statements that every text goes through. */
const statements: [name: string, run: (db: Db) => Promise<unknown>][] = [
  ['insert-texts', (db) => insertTexts(db, [{ advisorId: 1, meta: {} } as NewText], { messageIds: [1], ...times })],
  ['claim-dispatches', (db) => claimDispatches(db, claim)],
  ['record-outcomes', (db) => recordOutcomes(db, [], { now, endedClaims: [] })],
  ['record-receipts', (db) => recordReceipts(db, [], times)],
];

/** Those that change texts which wait in it. */
const changes: typeof statements = [
  ['release-deferred', (db) => releaseDeferred(db, times)],
  [
    'update-hours',
    (db) => updateHours(db, [{ advisorId: 1, messageId: 1, deferredUntil: null, openUntil: null, expiresAt: null }]),
  ],
  ['list-expired', (db) => listExpired(db, times)],
  ['fail-dispatches', (db) => failDispatches(db, [{ advisorId: 1, messageId: 1, failureCode: 'expired' }], now)],
];

suite('a plan that was made while there were few texts', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await makeDatabase();
    client = new pg.Client({ connectionString: database.url, options: '-c enable_seqscan=off' });
    await client.connect();
    await client.query('set plan_cache_mode = force_generic_plan');
    await fill();
    await database.asOwner('vacuum analyze');
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  async function fill(): Promise<void> {
    await database.asOwner(`insert into firms (name, date_time_created) values ('Test Wealth', now())`);
    await database.asOwner(
      `insert into advisors (firm_id, name, email, time_zone, date_time_created)
       select firm_id, 'Ann', number || '@test.example', 'UTC', now() from firms cross join generate_series(1, 2) as number`,
    );
    await database.asOwner(
      `insert into members (advisor_id, phone, last_changed, date_time_created)
       select advisor_id, '+1212555' || number, now(), now() from advisors cross join generate_series(1000, 1004) as number`,
    );
    await database.asOwner(
      `insert into messages (
         advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, date_time_created
       )
       select advisor_id, member_id, member_id, 'text', member_id, 'queued', 1, 'GSM-7', now() from members`,
    );
    await database.asOwner(
      `insert into dispatches (advisor_id, message_id, carrier_id, not_before)
       select advisor_id, message_id, 1, now() from messages`,
    );
    await database.asOwner('insert into archive_bodies select advisor_id, archive_number, $1, $1 from messages', ['']);
  }

  /** The plan that the connection keeps for the statement. */
  async function planOf(name: string, run: (db: Db) => Promise<unknown>): Promise<string[]> {
    let parameters = 0;
    const query: Db['query'] = async (text, values = []) => {
      parameters = values.length;
      await client.query(`prepare "${name}" as ${text}`);
      return [];
    };
    await run({ query, write: query as unknown as Db['write'], nodes: () => null } as unknown as Db);
    const { rows } = await client.query(`explain execute "${name}" (${Array(parameters).fill('null').join()})`);
    return rows.map((row) => row['QUERY PLAN']);
  }

  function assertLookups(plan: string[]): void {
    const scans = plan.flatMap((line, index) => (/Index Scan|Seq Scan/.test(line) ? [line + plan[index + 1]] : []));
    for (const scan of scans) assert.match(scan, /Index Cond/, plan.join('\n'));
  }

  for (const [name, run] of statements)
    test(`looks up each row that ${name} needs`, async () => assertLookups(await planOf(name, run)));

  test('joins nothing to insert texts: the cost of a text doesn’t depend on the size of its batch', async () => {
    const plan = await planOf('insert-joins', (db) =>
      insertTexts(db, [{ advisorId: 1, meta: {} } as NewText], { messageIds: [1], ...times }),
    );
    assert.doesNotMatch(plan.join('\n'), /Nested Loop|Join/);
  });

  /** An outbox is often empty when autovacuum looks at it. */
  test('looks them up even if the outbox was empty then', async () => {
    await database.asOwner('delete from dispatches');
    await database.asOwner('vacuum analyze');
    await client.query('deallocate all');
    for (const [name, run] of [...statements, ...changes]) assertLookups(await planOf(name, run));
  });

  test('claims without reading every message, even if there was none then', async () => {
    await database.asOwner('delete from messages');
    await database.asOwner('vacuum analyze');
    await client.query('deallocate all');
    assertLookups(await planOf('claim-dispatches', (db) => claimDispatches(db, claim)));
  });
});
