import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { type Load, load, medianOf } from './load.ts';
import type { Scratch } from './scratch.ts';
import { type Cast, makeCast, startSendServer } from './send-cast.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, ratio, say, table, whole } from './tables.ts';

const connections = 64;
const rowsAtOnce = 250_000;

/** The cost of a send when the same advisors and others have sent many before, and the room that a text takes. */
export async function measureHistory(scratch: Scratch, { sends }: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'history'), say);
  const stopping = scratch.owns(() => embedded.stop());
  heading(`Sends as the archive grows, ${connections} connections, nothing dispatched, medians of ${sends.rounds}`);
  const archives = [];
  for (const texts of sends.archivedTexts) {
    const cast = await makeCast(scratch, embedded, `archived${texts}`);
    const began = performance.now();
    await fill(cast, texts);
    const bytes = await bytesOf(cast.owner);
    const server = await startSendServer(scratch, cast, 'product');
    const run = async (seconds: number) =>
      load({ port: server.port, requests: await cast.requests(), connections, seconds });
    await run(sends.warmUpSeconds);
    say(`${whole(texts)} texts written in ${whole((performance.now() - began) / 1000)} s`);
    archives.push({ texts, bytes, cast, server, run, loads: [] as Load[] });
  }
  for (let round = 0; round < sends.rounds; round++)
    for (const { run, loads } of archives) loads.push(await run(sends.roundSeconds));

  const measured = archives.map(({ texts, loads }) => ({ texts, ...medianOf(loads) }));
  const [few, many] = [measured.at(0), measured.at(-1)] as [(typeof measured)[0], (typeof measured)[0]];
  table(
    measured.map(({ texts, perSecond, p50Ms, p99Ms }) => ({
      'archived texts': whole(texts),
      'sends/s': whole(perSecond),
      'p50 ms': ms(p50Ms),
      'p99 ms': ms(p99Ms),
      'of the first': ratio(perSecond / few.perSecond),
    })),
  );
  const largest = archives.at(-1);
  if (largest) showBytes(largest);
  for (const { server, cast } of archives) {
    await server.stop();
    await cast.close();
  }
  await stopping.stop();
  return [
    `sends among ${whole(many.texts)} archived texts: ${whole(many.perSecond)}/s, ${ratio(many.perSecond / few.perSecond)} of those among ${whole(few.texts)}`,
  ];
}

/**
 * Whose they are, whether the entry after each says that it was delivered, when the first one was sent, and how long after it each
 * of the others. Those from long ago have no such entry.
 */
export type Texts = { advisors: number; isSettled: boolean; from: Date; everyMs: number };
const sentLongAgo: Texts = {
  advisors: 10_000,
  isSettled: false,
  from: new Date('2023-01-01T00:00:00Z'),
  everyMs: 10_000,
};

/** Adds many advisors' texts in order of time, in SQL: through the product it takes an hour. */
export async function fill(cast: Cast, count: number, texts = sentLongAgo): Promise<void> {
  await insertTexts(cast, count, texts);
  await countTexts(cast, count, texts);
}

/** Adds them, but the archive doesn't count them yet. */
export async function insertTexts({ owner, databaseUrl }: Cast, count: number, texts: Texts): Promise<void> {
  await owner.query(
    `insert into advisors (firm_id, name, email, time_zone, date_time_created)
     select min(firm_id), 'Advisor ' || number, 'other' || number || '@bench.example', 'UTC', now()
     from firms, generate_series(1, $1 - (select count(*)::integer from advisors)) as number
     group by number`,
    [texts.advisors],
  );
  await owner.query(
    `create table bench_senders as
     select advisor_id, row_number() over (order by advisor_id) - 1 as place, coalesce(last_number, 0) as before, ids, phones
     from advisors
     left join archive_heads using (advisor_id)
     left join (
       select advisor_id, array_agg(member_id order by member_id) as ids, array_agg(phone order by member_id) as phones
       from members
       group by advisor_id
     ) as people using (advisor_id)`,
  );
  await owner.query('create unique index on bench_senders (place)');
  await owner.query('analyze bench_senders');
  // After a checkpoint the next change of each page writes the whole page, and with the default size there would be a
  // checkpoint every few seconds.
  await owner.query(`alter system set max_wal_size = '8GB'`);
  await owner.query('select pg_reload_conf()');
  await Promise.all(
    [bodies, entries, messages, ...(texts.isSettled ? [outcomes] : [])].map((insert) =>
      addTexts(databaseUrl, insert, count, texts),
    ),
  );
  await owner.query('alter system reset max_wal_size');
  await owner.query('select pg_reload_conf()');
  await owner.query(`select setval('message_ids', $1)`, [count + 1]);
  await owner.query('vacuum (analyze)');
  await owner.query('checkpoint');
}

/** The first ones, up to that many: their entries come into the tree when it grows next. */
export async function countTexts({ owner }: Cast, count: number, texts: Texts): Promise<void> {
  await owner.query(
    `insert into archive_heads (advisor_id, last_number)
     select advisor_id, before + (1 + $3::boolean::integer) * (($1 - place + $2 - 1) / $2)
     from bench_senders
     where place < least($1, $2)
     on conflict (advisor_id) do update
     set last_number = excluded.last_number`,
    [count, texts.advisors, texts.isSettled],
  );
}

const carrierMessageId = `encode(salt, 'hex')::uuid::text`;
const bodies = `
  insert into archive_bodies (advisor_id, number, salt, body)
  select advisor_id, number, salt, body`;
const entries = `
  insert into archive_entries (
    advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
  )
  select
    advisor_id, number, 'text_out', member_id, message_id, 'application:1', encode(salt, 'hex'),
    '{"kind":"text","from":"+15005552000","to":"' || phone || '"}', sha256(salt || body), created`;
const outcomes = `
  insert into archive_entries (
    advisor_id, number, kind, member_id, message_id, actor, meta, commitment, date_time_created
  )
  select
    advisor_id, number + 1, 'outcome', member_id, message_id, 'carrier',
    '{"outcome":"delivered","reason":null,"text":' || number || ',"attempt":1,"carrierMessageId":"' || ${carrierMessageId} ||
      '","carrierId":null,"carrier":null}',
    decode(repeat('00', 32), 'hex'), created`;
const messages = `
  insert into messages (
    advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, attempt, carrier_message_id,
    date_time_created, date_time_sent, date_time_delivered
  )
  select
    advisor_id, message_id, member_id, 'text', number, 'delivered', 1, 'GSM-7', 1, ${carrierMessageId},
    created, created, created`;
const givenTexts = `
  from (
    select
      advisor_id, before + (1 + $5::boolean::integer) * (n / $6::bigint) + 1 as number,
      n + 1 as message_id,
      coalesce(ids[1 + n / $6::bigint % cardinality(ids)], n % 997) as member_id,
      coalesce(phones[1 + n / $6::bigint % cardinality(ids)], '+12125550000') as phone,
      $3::timestamptz + n * $4::float8 * interval '1 millisecond' as created,
      decode(md5(n::text), 'hex') as salt,
      convert_to('Your annual review is due. Does Tuesday at ' || n || ' suit you?', 'UTF8') as body
    from generate_series($1::bigint, $2::bigint - 1) as n
    join bench_senders on place = n % $6::bigint
  ) as sent`;

/** Fills one table on its own connection: the three together keep both cores busy. */
async function addTexts(connectionString: string, insert: string, count: number, texts: Texts): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    for (let from = 0; from < count; from += rowsAtOnce)
      await client.query(`${insert} ${givenTexts}`, [
        ...[from, Math.min(count, from + rowsAtOnce)],
        ...[texts.from, texts.everyMs, texts.isSettled, texts.advisors],
      ]);
  } finally {
    await client.end();
  }
}

type Bytes = { table: string; rows: number; indexes: number };

/** Of the tables that have a row for each text, and of their indexes. */
async function bytesOf(owner: pg.Client): Promise<Bytes[]> {
  const { rows } = await owner.query(
    `select relname as table, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes
     from pg_class
     where relname in ('archive_bodies', 'archive_entries', 'messages')
     order by relname`,
  );
  return rows;
}

function showBytes({ texts, bytes }: { texts: number; bytes: Bytes[] }): void {
  heading(`Bytes of a text among ${whole(texts)}`);
  const sum = (of: 'rows' | 'indexes') => bytes.reduce((all, each) => all + each[of], 0);
  const all = { table: 'together', rows: sum('rows'), indexes: sum('indexes') };
  table(
    [...bytes, all].map((each) => ({ ...each, rows: whole(each.rows / texts), indexes: whole(each.indexes / texts) })),
  );
}
