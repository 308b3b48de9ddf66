import { columnsOf } from '../database/columns.ts';
import type { Db, Due } from '../database/db.ts';
import { forAdvisors, forAllAdvisors, takeDue } from '../database/for-advisors.ts';
import { slotsOf, spacingAt } from '../texting/pace.ts';
import { jsonMembers, oneStep, outcomeColumns, outcomeEntries } from '../texting/text-outcomes.ts';

export type MessageKey = { advisorId: number; messageId: number };
type ExpiredText = MessageKey & { carrierId: number };
/** Domain time, and real time for leases, retries and the pace. */
export type Times = { now: Date; realNow: Date };

/**
 * How many rows each maintenance statement handles. They run once a second and are planned every time: a plan from when the
 * tables were empty would read them whole.
 */
export const maintainedMax = 500;

/**
 * The real time when the carrier's next text is ready; null if none waits for its turn. Spans advisors: the next text may be
 * anybody's.
 */
export async function findNextTurn(db: Db, carrierId: number): Promise<Date | null> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query<{ notBefore: Date }>(
      `select not_before as "notBefore"
       from dispatches
       where carrier_id = $1::smallint and deferred_until is null
       order by not_before, message_id
       limit 1`,
      [carrierId],
      'find-next-turn',
    ),
  );
  return earliestOf(rows);
}

/** The same for all carriers. Spans advisors: the next text may be anybody's. */
export async function findFirstTurn(db: Db): Promise<Date | null> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query<{ notBefore: Date | null }>(
      `select min(next.not_before) as "notBefore"
       from carriers c
       cross join lateral (
         select not_before
         from dispatches
         where carrier_id = c.carrier_id and deferred_until is null
         order by not_before, message_id
         limit 1
       ) as next`,
      [],
      'find-first-turn',
    ),
  );
  return earliestOf(rows);
}

function earliestOf(rows: { notBefore: Date | null }[]): Date | null {
  const times = rows.flatMap(({ notBefore }) => notBefore ?? []);
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * Whether a text of these carriers is ready or deferred until now, or has been claimed and has no outcome yet. Spans advisors: a
 * carrier has texts of many.
 */
export async function hasDue(db: Db, carrierIds: number[], { now, realNow }: Times): Promise<boolean> {
  const [row] = await db.query<{ due: boolean }>(
    `select
       exists (
         select 1 from dispatches
         where carrier_id = any ($1::smallint[]) and deferred_until is null and not_before <= $3
       )
       or exists (select 1 from dispatches where carrier_id = any ($1::smallint[]) and deferred_until <= $2)
       or exists (select 1 from claims where carrier_id = any ($1::smallint[])) as due`,
    [carrierIds, now, realNow],
  );
  return row?.due ?? false;
}

/**
 * Releases deferred texts whose recipient's day has begun. Each takes a slot in the advisor's pace, like a new text. Its hours
 * have ended by definition, so the claim checks them again. Returns how many there were. Spans advisors: its job works for all of them.
 */
export async function releaseDeferred(db: Db, { now, realNow }: Times): Promise<number> {
  const due: Due = ['select from dispatches where deferred_until <= $1 limit 1', [now], 'has-deferred'];
  const { rows } = await takeDue(db, due, (db) =>
    db.query(
      `with due as materialized (
       select advisor_id, message_id, deferred_until
       from dispatches
       where deferred_until <= $1
       order by deferred_until, message_id
       limit ${maintainedMax}
       for update skip locked
     ),
     paced as materialized (
       select due.*, ${spacingAt('a.texting_pace')} as spacing
       from due
       cross join lateral (
         select texting_pace
         from advisors
         where advisor_id = due.advisor_id
         limit 1
       ) as a
     ),
     ${slotsOf('paced', { order: 'deferred_until, message_id', realNow: '$2' })}
     update dispatches
     set not_before = slot, deferred_until = null, open_until = slots.deferred_until,
         expires_at = expires_at + (slot - $2)
     from slots
     where dispatches.message_id = any (array(select message_id from slots))
       and dispatches.message_id = slots.message_id
     returning 1`,
      [now, realNow],
    ),
  );
  return rows.length;
}

/** Changes the hours of queued texts: not before, not after, and when they expire. */
export async function updateHours(
  db: Db,
  dispatches: (MessageKey & { deferredUntil: Date | null; openUntil: Date | null; expiresAt: Date | null })[],
): Promise<void> {
  if (dispatches.length === 0) return;
  await forAdvisors(db, dispatches, (db, dispatches) =>
    db.write(
      `update dispatches
     set deferred_until = given.deferred_until, open_until = given.open_until, expires_at = given.expires_at
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::timestamptz[])
       as given (message_id, deferred_until, open_until, advisor_id, expires_at)
     where dispatches.message_id = any ($1)
       and dispatches.message_id = given.message_id
       and dispatches.advisor_id = given.advisor_id`,
      columnsOf(dispatches, 'messageId', 'deferredUntil', 'openUntil', 'advisorId', 'expiresAt'),
      'update-hours',
    ),
  );
}

/**
 * SQL for a text whose life is over. If a sandbox's clock was moved a day ahead a moment after the text was accepted, no carrier has had a
 * chance: it isn't over before the text was tried, or was ready for a few seconds. The confirmation of an opt-out has no such grace:
 * it goes out within five minutes or never.
 */
export function isOver({ now, realNow }: { now: string; realNow: string }): string {
  const hadAChance = `kind = 'opt_out' or attempt > 0 or not_before < ${realNow}::timestamptz - interval '5 seconds'`;
  return `(expires_at < ${now} and (${hadAChance}))`;
}

/** Texts that wait although their life is over. Spans advisors: its job works for all of them. */
export async function listExpired(db: Db, { now, realNow }: Times): Promise<ExpiredText[]> {
  return forAllAdvisors(db, (db) =>
    db.query<ExpiredText>(
      `select old.advisor_id as "advisorId", old.message_id as "messageId", old.carrier_id::integer as "carrierId"
       from (
         select advisor_id, message_id, carrier_id, not_before, expires_at
         from dispatches
         where expires_at < $1
         order by expires_at
         limit ${maintainedMax}
       ) as old
       cross join lateral (
         select kind, attempt
         from messages
         where advisor_id = old.advisor_id and message_id = old.message_id
         limit 1
       ) as t
       where ${isOver({ now: '$1', realNow: '$2' })}`,
      [now, realNow],
      'list-expired',
    ),
  );
}

/** Those of the given texts that were still in the outbox, out of it now. Each comes with something to say about it. */
function takenWith(said: 'failure_code' | 'facts'): string {
  return `taken as (
       delete from dispatches
       using unnest($1::bigint[], $2::bigint[], $3::text[]) as given (advisor_id, message_id, ${said})
       where dispatches.message_id = any ($2)
         and dispatches.message_id = given.message_id
         and dispatches.advisor_id = given.advisor_id
       returning given.*
     )`;
}

/**
 * Takes texts out of the outbox that will not go out: they fail, with an entry. One that is no longer in the outbox was
 * claimed or held by somebody else, and is left alone.
 */
export async function failDispatches(
  db: Db,
  failed: (MessageKey & { failureCode: string })[],
  now: Date,
): Promise<void> {
  if (failed.length === 0) return;
  await forAdvisors(db, failed, (db, failed) =>
    db.write(
      `with ${takenWith('failure_code')},
     failed as (
       update messages
       set status = 'failed', failure_code = taken.failure_code, date_time_ended = $4
       from taken
       where messages.advisor_id = taken.advisor_id
         and messages.message_id = taken.message_id
         and messages.status = 'queued'
       returning ${outcomeColumns}, 'service' as actor, ${oneStep}
     ),
     ${outcomeEntries('failed', '$4')}
     select`,
      [...columnsOf(failed, 'advisorId', 'messageId', 'failureCode'), now],
    ),
  );
}

/**
 * Takes texts out of the outbox whose rows are not what their entries say: they fail as on a fault of ours, and each row is again what
 * its entry says, so that what became of the text is said of that text. One without any entry fails without one. There is no index for
 * what nobody should ever need: this reads all of an advisor's entries.
 */
export async function failAltered(
  db: Db,
  altered: (MessageKey & { memberId: number | null; archiveNumber: number | null })[],
  now: Date,
): Promise<void> {
  if (altered.length === 0) return;
  await forAdvisors(db, altered, (db, altered) =>
    db.write(
      `with ${takenWith('facts')},
     said as materialized (
       select advisor_id, message_id, number, member_id, substring(meta from '^{"kind":"([a-z_]+)"') as kind
       from archive_entries
       where advisor_id = any ($1) and message_id = any ($2) and kind = 'text_out'
     ),
     failed as (
       update messages
       set status = 'failed', failure_code = 'internal_error', date_time_ended = $4,
         archive_number = coalesce(said.number, archive_number), member_id = coalesce(said.member_id, messages.member_id),
         kind = coalesce(said.kind, messages.kind)
       from taken
       left join said on said.advisor_id = taken.advisor_id and said.message_id = taken.message_id
       where messages.advisor_id = taken.advisor_id
         and messages.message_id = taken.message_id
         and messages.status = 'queued'
       returning ${outcomeColumns}, 'service' as actor, false as was_sent, said.number is not null as is_archived, facts
     ),
     ${outcomeEntries('failed', '$4')}
     select`,
      [
        ...columnsOf(altered, 'advisorId', 'messageId'),
        altered.map(({ memberId, archiveNumber }) => jsonMembers({ altered: { memberId, archiveNumber } })),
        now,
      ],
    ),
  );
}
