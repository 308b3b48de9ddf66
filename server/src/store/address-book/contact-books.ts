import type { Db } from '../database/db.ts';
import { collectByShard, forEachShard } from '../database/distribution/by-shard.ts';

/** Serializes changes to one book: every change to existing rows locks this row first, to avoid deadlocks. */
export async function lockBook(db: Db, advisorId: number): Promise<void> {
  await db.query(
    `insert into contact_books (advisor_id)
     values ($1)
     on conflict (advisor_id) do update
     set advisor_id = excluded.advisor_id`,
    [advisorId],
    'lock-book',
  );
}

/** How contacts change, and which may; new ones are not known before. A change of counts alone is not logged. */
type Change = { what: 'created' | 'updated' | 'deleted' | 'counted'; contactIds?: number[] };

type SortKeys = { contact_id: number; date_time_modified: string } & Record<string, unknown>;

/**
 * Changes contacts in a transaction, in which the book is locked unless they are new. On one PostgreSQL triggers count them and
 * log the change; where the database is distributed this does, from what the contacts were before and are after. `changed`
 * tells by the result which of them did change, if not all.
 */
export async function changingContacts<Result>(
  db: Db,
  advisorId: number,
  { what, contactIds = [] }: Change,
  work: () => Promise<Result>,
  changed: (result: Result) => number[] = () => contactIds,
): Promise<Result> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work();
  const earlier = what === 'created' ? [] : await listSortKeys(db, advisorId, contactIds);
  const result = await work();
  const ids = changed(result);
  if (ids.length === 0) return result;
  const before = earlier.filter(({ contact_id: id }) => ids.includes(id));
  const after = what === 'deleted' ? [] : await listSortKeys(db, advisorId, ids);
  const changes = [...before.map((row) => ({ ...row, change: -1 })), ...after.map((row) => ({ ...row, change: 1 }))];
  await countContacts(db, advisorId, changes);
  if (what !== 'counted') await logChanges(db, advisorId, what, what === 'deleted' ? before : after);
  return result;
}

type Changed = SortKeys & { change: number };
/** What comes to a place in a sort, or leaves it. */
type Move = {
  sortBy: string;
  textKey: string;
  numberKey: number;
  timeKey: string;
  contactId: number;
  change: number;
};

/** The order of contacts without an address: after all others. */
const noEmail = '\uffff';

/**
 * Counts contacts as the triggers do, by two statements on the advisor's shard. From the first on the transaction has the book to
 * itself, so others who change it wait for the end of the transaction.
 */
async function countContacts(db: Db, advisorId: number, changes: Changed[]): Promise<void> {
  const moves = await listMoves(db, changes);
  const countOf = (counted: Changed[]) => counted.reduce((sum, { change }) => sum + change, 0);
  const emails = changes.filter((row) => row.email_order !== noEmail);
  await forEachShard(db, [{ advisorId }], (db) =>
    db.write(
      `with book as (
         insert into contact_books as book (advisor_id, contact_count, email_count)
         values ($1, $2, $3)
         on conflict (advisor_id) do update
         set contact_count = book.contact_count + excluded.contact_count,
             email_count = book.email_count + excluded.email_count
         returning advisor_id
       )
       -- The first block of each sort begins below everything.
       insert into contact_blocks (advisor_id, sort_by, low_text, low_number, low_time, low_id, contact_count)
       select advisor_id, sort_by, '', -9223372036854775808, '-infinity'::timestamptz, -1, 0
       from book, (select distinct unnest($4::text[]) as sort_by) as sorted
       on conflict do nothing`,
      [advisorId, countOf(changes), countOf(emails), moves.map(({ sortBy }) => sortBy)],
      'count-contacts',
    ),
  );
  if (moves.length > 0) await countInBlocks(db, advisorId, moves);
}

/** What comes and leaves at the same place in a sort (an update that kept this key) is no move. */
async function listMoves(db: Db, changes: Changed[]): Promise<Move[]> {
  return db.query<Move>(
    `select
       sort_by as "sortBy", text_key as "textKey", number_key as "numberKey", time_key::text as "timeKey",
       contact.contact_id as "contactId", sum(contact.change)::integer as change
     from jsonb_populate_recordset(null::contact_change, $1) as contact, contact_sort_keys(contact)
     group by sort_by, text_key, number_key, time_key, contact.contact_id
     having sum(contact.change) <> 0`,
    [JSON.stringify(changes)],
    'list-moves',
  );
}

const blockSize = 500;
const blockMax = 1000;

async function countInBlocks(db: Db, advisorId: number, moves: Move[]): Promise<void> {
  const blocks = await collectByShard(db, [{ advisorId }], (db) =>
    db.query<{ large: string | null; isEmpty: boolean }>(
      `update contact_blocks as target
       set contact_count = target.contact_count + touched.change
       from (
         select moves.sort_by, low_text, low_number, low_time, low_id, sum(change) as change
         from unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::bigint[], $7::integer[])
           as moves (sort_by, text_key, number_key, time_key, contact_id, change)
         cross join lateral (
           select low_text, low_number, low_time, low_id
           from contact_blocks
           where advisor_id = $1
             and sort_by = moves.sort_by
             and (low_text, low_number, low_time, low_id)
               <= (text_key collate "und-x-icu", number_key, time_key, contact_id)
           order by low_text desc, low_number desc, low_time desc, low_id desc
           limit 1
         ) as home
         group by moves.sort_by, low_text, low_number, low_time, low_id
         having sum(change) <> 0
       ) as touched
       where target.advisor_id = $1
         and target.sort_by = touched.sort_by
         and target.low_text = touched.low_text
         and target.low_number = touched.low_number
         and target.low_time = touched.low_time
         and target.low_id = touched.low_id
       returning
         case when target.contact_count > ${blockMax} then target::text end as large,
         target.contact_count = 0 and target.low_id >= 0 as "isEmpty"`,
      [
        advisorId,
        moves.map(({ sortBy }) => sortBy),
        moves.map(({ textKey }) => textKey),
        moves.map(({ numberKey }) => numberKey),
        moves.map(({ timeKey }) => timeKey),
        moves.map(({ contactId }) => contactId),
        moves.map(({ change }) => change),
      ],
      'count-in-blocks',
    ),
  );
  if (blocks.some(({ isEmpty }) => isEmpty))
    await db.query('delete from contact_blocks where advisor_id = $1 and contact_count = 0 and low_id >= 0', [
      advisorId,
    ]);
  for (const { large } of blocks)
    if (large) await db.query('select split_contact_block($1::contact_blocks, $2)', [large, blockSize]);
}

async function listSortKeys(db: Db, advisorId: number, contactIds: number[]): Promise<SortKeys[]> {
  return collectByShard(db, [{ advisorId }], (db) =>
    db.query<SortKeys>(
      `select
         advisor_id, contact_id, full_name, email_order, email_status, group_count, source,
         date_time_created::text as date_time_created, date_time_modified::text as date_time_modified
       from contacts
       where advisor_id = $1 and contact_id = any ($2)`,
      [advisorId, contactIds],
      'list-sort-keys',
    ),
  );
}

async function logChanges(
  db: Db,
  advisorId: number,
  what: 'created' | 'updated' | 'deleted',
  rows: SortKeys[],
): Promise<void> {
  const runs = runsOf(rows.map((row) => row.contact_id));
  const at =
    what === 'deleted'
      ? await findNow(db)
      : rows
          .map((row) => row.date_time_modified)
          .sort()
          .at(-1);
  await forEachShard(db, [{ advisorId }], (db) =>
    db.write(
      `with book as (
         insert into contact_books as book (advisor_id, last_change)
         values ($1, cardinality($2::bigint[]))
         on conflict (advisor_id) do update
         set last_change = book.last_change + excluded.last_change
         returning advisor_id, last_change
       )
       insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
       select advisor_id, last_change - cardinality($2) + nth, $4, first_id, last_id, $5::timestamptz
       from book, unnest($2, $3::bigint[]) with ordinality as run (first_id, last_id, nth)`,
      [advisorId, runs.map(({ first }) => first), runs.map(({ last }) => last), what, at],
      'log-changes',
    ),
  );
}

/** Ids that follow each other, as the first and the last of them. */
function runsOf(ids: number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run.last === id - 1) run.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs;
}

async function findNow(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ now: string }>('select domain_now()::text as now');
  return row?.now;
}
