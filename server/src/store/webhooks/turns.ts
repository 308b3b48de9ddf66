import { columnsOf } from '../database/columns.ts';
import type { Db, Due } from '../database/db.ts';
import { forAdvisors, forAllAdvisors, takeDue } from '../database/for-advisors.ts';
import { type StreamRow, scopes } from './streams.ts';

type Stream = Pick<StreamRow, 'webhookId' | 'advisorId' | 'feed'>;
type Lease = { now: Date; leasedUntil: Date };

/** The place after a turn, or a part of one, and when to go on. */
export type StreamChange = Pick<StreamRow, 'number' | 'contactId' | 'failures' | 'failingSince'> & {
  notBefore: Date;
  /** Null gives it up. */
  leasedUntil: Date | null;
};
/** Only if it is still leased until then. */
export type StreamUpdate = Stream & { heldUntil: Date; change: StreamChange };
export type UpdatedStream = Pick<StreamRow, 'endsAt' | 'scopes'>;

/** SQL for the last number of the log of a stream `s`. */
const lastOfLog = `
  case s.feed
    when 'events' then (select last_event from archive_heads h where h.advisor_id = s.advisor_id)
    else (select last_change from contact_books b where b.advisor_id = s.advisor_id)
  end`;

/** Of all processes, one at a time marks streams. */
const markingLock = 7_277_034;

/**
 * Marks streams whose log has grown since they had told everything; returns how many. This compares every stream that isn't
 * marked, of all endpoints, with the end of its log, so how often it is done must depend on how long it takes. Claims don't
 * look at streams that aren't marked. Spans advisors: an application acts for many.
 */
export async function markBehind(db: Db, limit: number): Promise<number> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query(
      `with turn as materialized (
         select pg_try_advisory_xact_lock($2) as is_ours
       ),
       grown as materialized (
         (
           select s.webhook_id, s.advisor_id, s.feed
           from webhook_streams s
           join archive_heads h on h.advisor_id = s.advisor_id
           join advisors a on a.advisor_id = s.advisor_id and not a.disabled
           where (select is_ours from turn) and not s.behind and s.feed = 'events' and h.last_event > s.number
         )
         union all
         (
           select s.webhook_id, s.advisor_id, s.feed
           from webhook_streams s
           join contact_books b on b.advisor_id = s.advisor_id
           join advisors a on a.advisor_id = s.advisor_id and not a.disabled
           where (select is_ours from turn) and not s.behind and s.feed = 'changes' and b.last_change > s.number
         )
         limit $1
       )
       update webhook_streams s
       set behind = true
       from grown
       where s.webhook_id = grown.webhook_id
         and s.advisor_id = grown.advisor_id
         and s.feed = grown.feed
         and not s.behind
       returning 1`,
      [limit, markingLock],
      'mark-behind',
    ),
  );
  return rows.length;
}

/**
 * Takes streams that have something to tell, so that no other node does: of each endpoint so many, those that waited
 * longest first. Until the lease ends they are out of the way of other claims. A disabled advisor's wait until they are enabled.
 * Spans advisors: an application acts for many.
 */
export async function claimStreams(
  db: Db,
  wanted: { webhookId: number; count: number }[],
  { now, leasedUntil }: Lease,
): Promise<{ streams: StreamRow[]; hasOthers: boolean }> {
  const webhookIds = wanted.map(({ webhookId }) => webhookId);
  const due: Due = [
    'select from webhook_streams where webhook_id = any ($1::bigint[]) and behind and not_before <= $2 and coalesce(leased_until < $2, true) limit 1',
    [webhookIds, now],
    'has-behind',
  ];
  const { rows, hasOthers } = await takeDue(db, due, (db) =>
    db.query<StreamRow & { behind: boolean }>(
      `with ready as materialized (
       select s.webhook_id, s.advisor_id, s.feed, not a.disabled as behind
       from unnest($1::bigint[], $2::integer[]) as wanted (webhook_id, count)
       cross join lateral (
         select *
         from webhook_streams
         where webhook_id = wanted.webhook_id
           and behind
           and not_before <= $3
           and coalesce(leased_until < $3, true)
         order by not_before
         limit wanted.count
         for update skip locked
       ) as s
       join advisors a on a.advisor_id = s.advisor_id
     )
     update webhook_streams s
     set behind = ready.behind,
         leased_until = case when ready.behind then $4::timestamptz end,
         not_before = case when ready.behind then $4::timestamptz else s.not_before end
     from ready
     where s.webhook_id = ready.webhook_id and s.advisor_id = ready.advisor_id and s.feed = ready.feed
     returning
       s.webhook_id as "webhookId", s.advisor_id as "advisorId", s.feed, s.number, s.contact_id as "contactId",
       s.ends_at as "endsAt", s.failures, s.failing_since as "failingSince", s.behind,
       ${scopes}`,
      [webhookIds, wanted.map(({ count }) => count), now, leasedUntil],
      'claim-streams',
    ),
  );
  return { streams: rows.filter(({ behind }) => behind), hasOthers };
}

/**
 * Moves streams on, in one statement. For each, null if its lease is over, or the stream itself: then somebody else decides. A
 * stream that has told its last event goes. Otherwise what the application may see from now on. PostgreSQL expects a list for
 * each column to be short, and finds each stream by its key; it expects more of one JSON text, and would look at all streams.
 *
 */
export async function updateStreams(db: Db, updates: StreamUpdate[]): Promise<(UpdatedStream | null)[]> {
  return forAdvisors(db, updates, async (db, updates) => {
    const rows = await db.query<UpdatedStream & { place: number; number: number }>(
      `update webhook_streams s
     set number = given.number, contact_id = given.contact_id, failures = given.failures,
         failing_since = given.failing_since, not_before = given.not_before, leased_until = given.leased_until,
         behind = coalesce(${lastOfLog} > given.number, false)
     from unnest(
       $1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::integer[],
       $8::timestamptz[], $9::timestamptz[], $10::timestamptz[]
     ) with ordinality as given (
       webhook_id, advisor_id, feed, held_until, number, contact_id, failures, failing_since, not_before,
       leased_until, place
     )
     where s.webhook_id = given.webhook_id
       and s.advisor_id = given.advisor_id
       and s.feed = given.feed
       and s.leased_until = given.held_until
     returning given.place, s.number, s.ends_at as "endsAt", ${scopes}`,
      [
        ...columnsOf(updates, 'webhookId', 'advisorId', 'feed', 'heldUntil'),
        updates.map(({ change }) => change.number),
        updates.map(({ change }) => change.contactId),
        updates.map(({ change }) => change.failures),
        updates.map(({ change }) => change.failingSince),
        updates.map(({ change }) => change.notBefore),
        updates.map(({ change }) => change.leasedUntil),
      ],
      'update-streams',
    );
    const over = rows.filter(({ endsAt, number }) => endsAt !== null && endsAt <= number);
    for (const { place } of over) await deleteStream(db, updates[place - 1] as Stream);
    const byPlace = new Map(rows.filter((row) => !over.includes(row)).map((row) => [row.place, row]));
    return updates.map((_, index) => byPlace.get(index + 1) ?? null);
  });
}

async function deleteStream(db: Db, { webhookId, advisorId, feed }: Stream): Promise<void> {
  await db.query(
    `delete from webhook_streams
     where webhook_id = $1 and advisor_id = $2 and feed = $3 and ends_at <= number`,
    [webhookId, advisorId, feed],
  );
}
