import type { EntrySpan } from '../archive/archive.ts';
import { type LeafRow, leafColumns, type StoredLeaf, smallBody } from '../archive/archive-tree.ts';
import type { Db } from '../database/db.ts';

/** An entry at its place in the tree, with its body and the phone number of the person it is about. */
export type ExportRow = StoredLeaf & { phone: string | null };
export type SignedCheckpoint = { checkpointId: number; size: number; note: string };

const exportColumns = `r.first_leaf + e.number - r.first_number as leaf, ${leafColumns}, b.salt, ${smallBody}, m.phone`;
const exportJoins = `
  left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
  left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id`;

export async function findTaken(db: Db, advisorId: number): Promise<number> {
  const found = await db.value<number>('select last_number as "lastNumber" from archive_taken where advisor_id = $1', [
    advisorId,
  ]);
  return found ?? 0;
}

export async function findNumbers(
  db: Db,
  advisorId: number,
  { after, upTo, from, to }: { after: number; upTo: number; from: Date; to: Date },
) {
  return db.one<{ first: number | null; last: number | null }>(
    `select min(number) as first, max(number) as last
     from archive_entries
     where advisor_id = $1 and number > $2 and number <= $3 and date_time_created >= $4 and date_time_created < $5`,
    [advisorId, after, upTo, from, to],
  );
}

export async function listExport(
  db: Db,
  advisorId: number,
  { after, upTo }: { after: number; upTo: number },
): Promise<ExportRow[]> {
  return db.query<ExportRow>(
    `select ${exportColumns}
     from archive_runs r
     join archive_entries e
       on e.advisor_id = r.advisor_id
       and e.number >= greatest(r.first_number, $2 + 1)
       and e.number <= least(r.first_number + r.entries - 1, $3)
     ${exportJoins}
     where r.advisor_id = $1
       and r.first_number <= $3
       and r.first_number >= coalesce(
         (select max(first_number) from archive_runs where advisor_id = $1 and first_number <= $2 + 1),
         0
       )
     order by e.number`,
    [advisorId, after, upTo],
    'list-export',
  );
}

/** The run that has the entry; none if it is not in the tree yet. */
const runOfEntry = `
     join lateral (
       select first_leaf, first_number, entries
       from archive_runs
       where advisor_id = e.advisor_id and first_number <= e.number
       order by first_number desc
       limit 1
     ) as r on e.number < r.first_number + r.entries`;

/** An advisor's disposals after one, in the order of numbers, if they are in the tree. */
export async function listDisposalExport(
  db: Db,
  advisorId: number,
  { after, limit }: { after: number; limit: number },
): Promise<ExportRow[]> {
  return db.query<ExportRow>(
    `select ${exportColumns}
     from archive_entries e
     ${runOfEntry}
     ${exportJoins}
     where e.advisor_id = $1 and e.number > $2 and e.kind = 'disposal'
     order by e.number
     limit $3`,
    [advisorId, after, limit],
  );
}

/** A book's retentions and holds after one, in the order of numbers, if they are in the tree; without bodies. */
export async function listRuleExport(
  db: Db,
  advisorId: number,
  { firmId, after, limit }: { firmId: number; after: number; limit: number },
): Promise<ExportRow[]> {
  return db.query<ExportRow>(
    `select r.first_leaf + e.number - r.first_number as leaf, ${leafColumns}, null as salt, null as body, null as phone
     from archive_entries e
     ${runOfEntry}
     where e.advisor_id = $1
       and e.number > $2
       and e.kind in ('hold', 'retention')
       and (e.meta::json ->> 'firmId')::bigint = $3
     order by e.number
     limit $4`,
    [advisorId, after, firmId, limit],
  );
}

/**
 * The ids of the checkpoints that prove a disposal's bodies due: the last one before the disposal, and the last one before
 * that by as many years as the disposal says.
 */
export async function listWitnesses(db: Db, disposals: { leaf: number; years: number }[]): Promise<number[]> {
  const rows = await db.query<{ checkpointId: number }>(
    `select distinct witness.checkpoint_id as "checkpointId"
     from unnest($1::bigint[], $2::integer[]) as disposal (leaf, years)
     cross join lateral (
       select checkpoint_id, date_time_created at time zone 'UTC' as signed_at
       from archive_checkpoints
       where size <= disposal.leaf
       order by size desc, checkpoint_id desc
       limit 1
     ) as before
     cross join lateral (
       select before.checkpoint_id
       union all
       (
         select checkpoint_id
         from archive_checkpoints
         where date_time_created <= (before.signed_at - make_interval(years => disposal.years)) at time zone 'UTC'
         order by date_time_created desc
         limit 1
       )
     ) as witness`,
    [disposals.map(({ leaf }) => leaf), disposals.map(({ years }) => years)],
  );
  return rows.map(({ checkpointId }) => checkpointId);
}

/** The ids of checkpoints after which time went back, the newest first. */
export async function listStepped(
  db: Db,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ checkpointId: number }>(
    `select checkpoint_id as "checkpointId"
     from (
       select checkpoint_id, date_time_created as signed_at,
         lead(date_time_created) over (order by checkpoint_id) as next_signed_at
       from archive_checkpoints
       where checkpoint_id between $1 and $2
     ) as checkpoint
     where next_signed_at < signed_at
     order by checkpoint_id desc
     limit $3`,
    [from, to, limit],
  );
  return rows.map(({ checkpointId }) => checkpointId);
}

export async function findCheckpointOver(db: Db, leaf: number): Promise<number | null> {
  return db.value<number>(
    `select min(checkpoint_id) as "checkpointId"
     from archive_checkpoints
     where size = (select min(size) from archive_checkpoints where size > $1)`,
    [leaf],
  );
}

export async function listCheckpoints(db: Db, checkpointIds: number[]): Promise<SignedCheckpoint[]> {
  return db.query<SignedCheckpoint>(
    `select checkpoint_id as "checkpointId", size, note
     from archive_checkpoints
     where checkpoint_id = any ($1)
     order by checkpoint_id`,
    [checkpointIds],
  );
}

export async function listOutcomeNumbers(db: Db, { advisorId, after, upTo }: EntrySpan) {
  return db.query<{ messageId: number; number: number }>(
    `select message_id as "messageId", number
     from archive_entries
     where advisor_id = $1 and number > $2 and number <= $3 and kind = 'outcome'
     order by number`,
    [advisorId, after, upTo],
  );
}

export async function listOutcomes(db: Db, advisorId: number, numbers: number[]): Promise<LeafRow[]> {
  return db.query<LeafRow>(
    `select ${leafColumns}
     from archive_entries e
     where e.advisor_id = $1 and e.number = any ($2)`,
    [advisorId, numbers],
    'list-outcomes',
  );
}
