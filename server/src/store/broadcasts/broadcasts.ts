import type { Db, Due } from '../database/db.ts';
import { forAllAdvisors, isDue, takeDue } from '../database/for-advisors.ts';

type BroadcastStatus = 'sending' | 'done' | 'stopped';

export type BroadcastRow = {
  broadcastId: number;
  /** Null where those who are asked for their consent are no group. */
  groupId: number | null;
  groupName: string | null;
  text: string;
  /** Of the wording that the text is, where it asks for consent. */
  wordingVersion: number | null;
  status: BroadcastStatus;
  people: number;
  accepted: number;
  refused: number;
  dateTimeCreated: Date;
  dateTimeEnded: Date | null;
};

/** `isDeferred`: nobody gets it before their morning. */
type ListedBroadcast = BroadcastRow & { isDeferred: boolean };

export type NewBroadcast = Pick<
  BroadcastRow,
  'groupId' | 'groupName' | 'text' | 'wordingVersion' | 'people' | 'refused'
> & {
  actor: string;
  traceId: string | null;
};

/** A broadcast with a batch that is due. */
export type DueBroadcast = Pick<
  BroadcastRow,
  'broadcastId' | 'groupId' | 'groupName' | 'text' | 'wordingVersion' | 'people'
> & {
  advisorId: number;
  actor: string;
  traceId: string | null;
  /** Texts per second from the advisor's number. */
  pace: number | null;
};

const columns = `
  broadcast_id as "broadcastId", group_id as "groupId", group_name as "groupName", text,
  wording_version as "wordingVersion", status, people, accepted, refused, date_time_created as "dateTimeCreated", date_time_ended as "dateTimeEnded"`;

export async function insertBroadcast(
  db: Db,
  advisorId: number,
  { groupId, groupName, text, wordingVersion, people, refused, actor, traceId }: NewBroadcast,
  now: Date,
): Promise<number> {
  const { broadcastId } = await db.one<{ broadcastId: number }>(
    `insert into broadcasts (
       advisor_id, group_id, group_name, text, wording_version, status, people, refused, actor, trace_id, due_at,
       date_time_created
     )
     values ($1, $2, $3, $4, $5, 'sending', $6, $7, $8, $9, $10, $10)
     returning broadcast_id as "broadcastId"`,
    [advisorId, groupId, groupName, text, wordingVersion, people, refused, actor, traceId, now],
    'insert-broadcast',
  );
  return broadcastId;
}

const listedColumns = `
  ${columns},
  status = 'sending' and not exists (
    select
    from broadcast_recipients r
    where r.advisor_id = b.advisor_id
      and r.broadcast_id = b.broadcast_id
      and r.state = 'waiting'
      and (r.not_before is null or r.not_before <= $3)
  ) as "isDeferred"`;

export async function findBroadcast(
  db: Db,
  advisorId: number,
  broadcastId: number,
  now: Date,
): Promise<ListedBroadcast | null> {
  const [row] = await db.lookUp<ListedBroadcast>(
    `select ${listedColumns}
     from broadcasts b
     where advisor_id = $1 and broadcast_id = $2`,
    [advisorId, broadcastId, now],
    'find-broadcast',
  );
  return row ?? null;
}

/** The latest first, before an id. */
export async function listBroadcasts(
  db: Db,
  advisorId: number,
  { before, now, limit }: { before: number | null; now: Date; limit: number },
): Promise<ListedBroadcast[]> {
  return db.query(
    `select ${listedColumns}
     from broadcasts b
     where advisor_id = $1 and ($2::bigint is null or broadcast_id < $2)
     order by broadcast_id desc
     limit $4`,
    [advisorId, before, now, limit],
    'list-broadcasts',
  );
}

/** Spans advisors: its job works for all of them. */
export function hasDueBroadcast(db: Db, now: Date): Promise<boolean> {
  return isDue(db, dueBroadcasts(now));
}

function dueBroadcasts(now: Date): Due {
  return [`select from broadcasts where status = 'sending' and due_at <= $1 limit 1`, [now], 'has-due-broadcast'];
}

/**
 * Locks the broadcast whose batch has been due longest, so that large ones take turns with others. One that another node has is
 * skipped; one of a number that has no carrier waits for it. Spans advisors: its job works for all of them.
 */
export async function lockDueBroadcast(db: Db, now: Date): Promise<DueBroadcast | null> {
  const { rows } = await takeDue(db, dueBroadcasts(now), (db) =>
    db.query<DueBroadcast>(
      `select
         advisor_id as "advisorId", broadcast_id as "broadcastId", group_id as "groupId", group_name as "groupName", text,
         wording_version as "wordingVersion", people, actor, trace_id as "traceId",
         (select a.texting_pace from advisors a where a.advisor_id = b.advisor_id) as pace
       from broadcasts b
       where status = 'sending'
         and due_at <= $1
         and not exists (
           select
           from advisors a
           where a.advisor_id = b.advisor_id and a.texting_number is not null and a.carrier_id is null
         )
       order by due_at, broadcast_id
       limit 1
       for update skip locked`,
      [now],
      'lock-due-broadcast',
    ),
  );
  return rows[0] ?? null;
}

/** Counts a batch, and says when the next one is due; without anybody left, it is done. Returns its status. */
export async function updateBroadcast(
  db: Db,
  advisorId: number,
  broadcastId: number,
  { accepted, refused, dueAt, now }: { accepted: number; refused: number; dueAt: Date; now: Date },
): Promise<BroadcastStatus> {
  const [row] = await db.query<{ status: BroadcastStatus }>(
    `update broadcasts b
     set
       accepted = b.accepted + $3,
       refused = b.refused + $4,
       due_at = coalesce(greatest(next.at, $5), b.due_at),
       status = case when next.at is null then 'done' else b.status end,
       date_time_ended = case when next.at is null then $6::timestamptz end
     from (
       select min(coalesce(not_before, '-infinity')) as at
       from broadcast_recipients
       where advisor_id = $1 and broadcast_id = $2 and state = 'waiting'
     ) as next
     where b.advisor_id = $1 and b.broadcast_id = $2 and b.status = 'sending'
     returning b.status`,
    [advisorId, broadcastId, accepted, refused, dueAt, now],
    'update-broadcast',
  );
  if (!row) throw new Error('The broadcast is no longer being sent.');
  return row.status;
}

/** Those that are being sent. Spans advisors: what a restore does concerns all of them. */
export async function listSending(db: Db): Promise<{ advisorId: number; broadcastId: number }[]> {
  return forAllAdvisors(db, (db) =>
    db.query(
      `select advisor_id as "advisorId", broadcast_id as "broadcastId" from broadcasts where status = 'sending'`,
    ),
  );
}

/** Stops it, after the batch that another node is sending, if there is one; null if it has ended, or isn't the advisor's. */
export async function stopBroadcast(
  db: Db,
  advisorId: number,
  broadcastId: number,
  now: Date,
): Promise<BroadcastRow | null> {
  return db.find<BroadcastRow>(
    `update broadcasts
     set status = 'stopped', date_time_ended = $3
     where advisor_id = $1 and broadcast_id = $2 and status = 'sending'
     returning ${columns}`,
    [advisorId, broadcastId, now],
    'stop-broadcast',
  );
}
