import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { commitTogether, forAdvisors, forAllAdvisors } from '../database/for-advisors.ts';
import type { EntryRow, EntrySpan } from './archive.ts';

export type TreeRow = { size: number; root: Buffer; fault: string | null };
type TileRow = { level: number; tile: number; hashes: Buffer };
/** Consecutive entries of one advisor that are consecutive leaves. */
export type RunRow = { firstLeaf: number; advisorId: number; firstNumber: number; entries: number };
export type CheckpointRow = { checkpointId: number; size: number; note: string; dateTimeCreated: Date };
/** An entry as it is hashed: its time with all digits, the commitment in hex. */
export type LeafRow = Omit<EntryRow, 'body' | 'dateTimeCreated'> & { commitment: string; dateTime: string };

export const leafColumns = `
  e.advisor_id as "advisorId", e.number, e.kind, e.member_id as "memberId", e.message_id as "messageId", e.actor,
  e.trace_id as "traceId", e.meta, encode(e.commitment, 'hex') as commitment,
  ${isoTime('e.date_time_created')} as "dateTime"`;

/** SQL for a time as entries have it: in UTC with all digits. */
export function isoTime(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** SQL for a body, except that of media. */
export const smallBody = `case when e.kind <> 'media_in' then b.body end as body`;

/** The tree, locked until the transaction ends; null if another node has it. */
export async function claimTree(db: Db): Promise<TreeRow | null> {
  return db.find<TreeRow>(
    `select size, root, fault
     from archive_tree
     for update skip locked`,
    [],
    'claim-tree',
  );
}

export async function findTree(db: Db): Promise<TreeRow> {
  return db.one('select size, root, fault from archive_tree');
}

export async function updateTree(db: Db, { size, root }: Pick<TreeRow, 'size' | 'root'>): Promise<void> {
  await db.query('update archive_tree set size = $1, root = $2, fault = null', [size, root], 'update-tree');
}

export async function updateTreeFault(db: Db, fault: string | null): Promise<void> {
  await db.query('update archive_tree set fault = $1 where fault is distinct from $1', [fault]);
}

/**
 * The entries that are not in the tree yet, in the order of advisors. Spans advisors: the tree has the entries of all advisors.
 */
export async function listUntaken(db: Db, advisorsMax: number): Promise<EntrySpan[]> {
  const spans = await forAllAdvisors(db, (db) =>
    db.query<EntrySpan>(
      `select h.advisor_id as "advisorId", coalesce(t.last_number, 0) as after, h.last_number as "upTo"
       from archive_heads h
       left join archive_taken t using (advisor_id)
       where h.last_number > coalesce(t.last_number, 0)
       order by h.advisor_id
       limit $1`,
      [advisorsMax],
      'list-untaken',
    ),
  );
  return spans.sort((a, b) => a.advisorId - b.advisorId).slice(0, advisorsMax);
}

/** The entries in these spans, each of another advisor, in the order of spans and numbers. */
export async function listLeaves(db: Db, spans: EntrySpan[]): Promise<LeafRow[]> {
  const leaves = await forAdvisors(db, spans, (db, spans) =>
    db.query<LeafRow>(
      `select ${leafColumns}
       from unnest($1::bigint[], $2::bigint[], $3::bigint[])
         with ordinality as span (advisor_id, after, up_to, position)
       join archive_entries e on e.advisor_id = span.advisor_id and e.number > after and e.number <= up_to
       order by position, e.number`,
      columnsOf(spans, 'advisorId', 'after', 'upTo'),
      'list-leaves',
    ),
  );
  const byAdvisor = Map.groupBy(leaves, ({ advisorId }) => advisorId);
  return spans.flatMap(({ advisorId }) => byAdvisor.get(advisorId) ?? []);
}

export async function listTiles(db: Db, tiles: Pick<TileRow, 'level' | 'tile'>[]): Promise<TileRow[]> {
  return db.query<TileRow>(
    `select level, tile, hashes
     from archive_tiles
     join unnest($1::smallint[], $2::bigint[]) as wanted (level, tile) using (level, tile)`,
    columnsOf(tiles, 'level', 'tile'),
    'list-tiles',
  );
}

export async function upsertTiles(db: Db, tiles: TileRow[]): Promise<void> {
  await db.query(
    `insert into archive_tiles (level, tile, hashes)
     select *
     from unnest($1::smallint[], $2::bigint[], $3::bytea[])
     on conflict (level, tile) do update
     set hashes = excluded.hashes`,
    columnsOf(tiles, 'level', 'tile', 'hashes'),
    'upsert-tiles',
  );
}

/** Records which entries became which leaves. */
export async function insertRuns(db: Db, runs: RunRow[]): Promise<void> {
  await forAdvisors(db, runs, (db, runs) =>
    db.write(
      `with taken as (
       insert into archive_taken (advisor_id, last_number)
       select advisor_id, first_number + entries - 1
       from unnest($2::bigint[], $3::bigint[], $4::integer[]) as run (advisor_id, first_number, entries)
       on conflict (advisor_id) do update
       set last_number = excluded.last_number
     )
     insert into archive_runs (first_leaf, advisor_id, first_number, entries)
     select *
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[])`,
      columnsOf(runs, 'firstLeaf', 'advisorId', 'firstNumber', 'entries'),
      'insert-runs',
    ),
  );
  await commitTogether(db);
}

/**
 * The runs with this leaf and later ones; the leaf may be in the middle of the first run. Spans advisors: the tree has the entries
 * of all advisors.
 */
export async function listRuns(db: Db, fromLeaf: number, limit: number): Promise<RunRow[]> {
  return db.query<RunRow>(
    `select first_leaf as "firstLeaf", advisor_id as "advisorId", first_number as "firstNumber", entries
     from archive_runs
     where first_leaf >= coalesce((select max(first_leaf) from archive_runs where first_leaf <= $1), 0)
     order by first_leaf
     limit $2`,
    [fromLeaf, limit],
    'list-runs',
  );
}

export async function insertCheckpoint(
  db: Db,
  { size, note, now }: { size: number; note: string; now: Date },
): Promise<void> {
  await db.query(
    `insert into archive_checkpoints (size, note, date_time_created)
     values ($1, $2, $3)`,
    [size, note, now],
    'insert-checkpoint',
  );
}

/** The newest one. */
export async function findCheckpoint(db: Db): Promise<CheckpointRow | null> {
  return db.find<CheckpointRow>(
    `select checkpoint_id as "checkpointId", size, note, date_time_created as "dateTimeCreated"
     from archive_checkpoints
     order by checkpoint_id desc
     limit 1`,
    [],
    'find-checkpoint',
  );
}

/** Those after one, oldest first. */
export async function listCheckpointsAfter(db: Db, checkpointId: number, limit: number): Promise<CheckpointRow[]> {
  return db.query<CheckpointRow>(
    `select checkpoint_id as "checkpointId", size, note, date_time_created as "dateTimeCreated"
     from archive_checkpoints
     where checkpoint_id > $1
     order by checkpoint_id
     limit $2`,
    [checkpointId, limit],
  );
}

/** Those after one in the order of sizes. */
export async function listCheckpointsBySize(
  db: Db,
  { size, checkpointId }: Pick<CheckpointRow, 'size' | 'checkpointId'>,
  limit: number,
): Promise<CheckpointRow[]> {
  return db.query<CheckpointRow>(
    `select checkpoint_id as "checkpointId", size, note, date_time_created as "dateTimeCreated"
     from archive_checkpoints
     where (size, checkpoint_id) > ($1, $2)
     order by size, checkpoint_id
     limit $3`,
    [size, checkpointId, limit],
    'list-checkpoints-by-size',
  );
}

/** When they say that they were signed, for those after one in the order of sizes. */
export async function listCheckpointTimes(
  db: Db,
  { size, checkpointId }: Pick<CheckpointRow, 'size' | 'checkpointId'>,
  limit: number,
) {
  return db.query<{ size: number; checkpointId: number; time: string }>(
    `select checkpoint_id as "checkpointId", size, coalesce(substring(note from '\\ntime ([^\\n]*)\\n'), '') as time
     from archive_checkpoints
     where (size, checkpoint_id) > ($1, $2)
     order by size, checkpoint_id
     limit $3`,
    [size, checkpointId, limit],
  );
}

/**
 * An entry at its place in the tree, with its body if that is still kept. Media are large, so they come without: they have a salt
 * and no body until `findBody` is asked for it.
 */
export type StoredLeaf = LeafRow & { leaf: number; salt: Buffer | null; body: Buffer | null };

/** SQL for the runs that have leaves from $1 up to but not including $2. The first may begin before. */
export const runsOfLeaves = `select *
       from archive_runs
       where first_leaf >= coalesce((select max(first_leaf) from archive_runs where first_leaf <= $1), 0)
         and first_leaf < $2`;

/**
 * The entries for the leaves from `from` up to but not including `to`, if they exist. The offset keeps PostgreSQL from going through
 * the runs of all advisors for each page. Spans advisors: the tree has the entries of all advisors.
 */
export async function listStoredLeaves(db: Db, from: number, to: number): Promise<StoredLeaf[]> {
  const leaves = await forAllAdvisors(db, (db) =>
    db.query<StoredLeaf>(
      `select r.first_leaf + e.number - r.first_number as leaf, ${leafColumns}, b.salt, ${smallBody}
     from (
       ${runsOfLeaves}
       order by first_leaf
       offset 0
     ) as r
     join archive_entries e
       on e.advisor_id = r.advisor_id
       and e.number >= r.first_number + greatest(0, $1 - r.first_leaf)
       and e.number < r.first_number + least(r.entries, $2 - r.first_leaf)
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
     order by leaf`,
      [from, to],
      'list-stored-leaves',
    ),
  );
  return leaves.sort((a, b) => a.leaf - b.leaf);
}

/** Null once it is no longer kept. */
export async function findBody(db: Db, advisorId: number, number: number): Promise<Buffer | null> {
  return db.value(
    'select body from archive_bodies where advisor_id = $1 and number = $2',
    [advisorId, number],
    'find-body',
  );
}

/** Which leaf the entry is; null until it is one. */
export async function findLeaf(db: Db, advisorId: number, number: number): Promise<number | null> {
  return db.value(
    `select first_leaf + $2 - first_number as leaf
     from (
       select *
       from archive_runs
       where advisor_id = $1 and first_number <= $2
       order by first_number desc
       limit 1
     ) as r
     where $2 < first_number + entries`,
    [advisorId, number],
  );
}

/** Which entry the leaf is, according to the runs. Spans advisors: the tree has the entries of all advisors. */
export async function findLeafEntry(db: Db, leaf: number) {
  return db.find<{ advisorId: number; number: number }>(
    `select advisor_id as "advisorId", first_number + $1 - first_leaf as number
     from (
       select *
       from archive_runs
       where first_leaf <= $1
       order by first_leaf desc
       limit 1
     ) as r
     where $1 < first_leaf + entries`,
    [leaf],
  );
}

/** What the tables say about each advisor's entries: if they disagree, something was added or removed. */
export type BookRow = {
  advisorId: number;
  lastNumber: number | null;
  takenNumber: number | null;
  entries: number;
  firstNumber: number | null;
  highestNumber: number | null;
};

/** Spans advisors: a verification looks at everything. */
export async function listBooks(db: Db): Promise<BookRow[]> {
  return db.query<BookRow>(
    `select
       advisor_id as "advisorId", h.last_number as "lastNumber", t.last_number as "takenNumber",
       coalesce(e.entries, 0) as entries, e.first_number as "firstNumber", e.highest_number as "highestNumber"
     from archive_heads h
     full join archive_taken t using (advisor_id)
     full join (
       select advisor_id, count(*) as entries, min(number) as first_number, max(number) as highest_number
       from archive_entries
       group by advisor_id
     ) as e using (advisor_id)
     order by advisor_id`,
  );
}

/** The first missing number among an advisor's entries up to one; null if none is missing. */
export async function findGap(db: Db, advisorId: number, upTo: number): Promise<number | null> {
  return db.value(
    `select wanted as number
     from generate_series(1, $2::bigint) as wanted
     where not exists (
       select
       from archive_entries e
       where e.advisor_id = $1 and e.number = wanted
     )
     limit 1`,
    [advisorId, upTo],
  );
}
