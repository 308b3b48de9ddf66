import { sandboxCarrierId } from '../carriers/carriers.ts';
import type { Db } from '../database/db.ts';
import { slotsOf, spacingAt } from './pace.ts';
import { oneStep, outcomeColumns, outcomeEntries } from './text-outcomes.ts';
import type { HeldReason, NewText, TextKind } from './texts.ts';

/** A text that waits for a decision, and what its entry says: whether it has the line of a first text. */
export type HeldText = { messageId: number; kind: TextKind; isFirst: boolean };

/** A text that waits outside the outbox: for a decision, or for the person's consent. */
const waits = `messages.status in ('held', 'awaiting_consent')`;

/** A text that waits, and when it may go out. */
export type Release = { messageId: number } & Pick<NewText, 'pace' | 'deferredUntil' | 'openUntil' | 'expiresAt'>;

/** A person's texts that are held because of what they replied, oldest first. */
export async function listHeldTexts(db: Db, advisorId: number, memberId: number): Promise<HeldText[]> {
  return db.query<HeldText>(
    `select
       t.message_id as "messageId", t.kind, e.meta::json -> 'added' is not null as "isFirst"
     from messages t
     join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
     where t.advisor_id = $1 and t.member_id = $2 and t.rare_status = 'held' and t.held_reason = 'possible_opt_out'
     order by t.message_id`,
    [advisorId, memberId],
  );
}

/**
 * Moves texts that wait to the outbox, in order, each with a slot in the advisor's pace unless it waits for the recipient's day.
 * Returns how many were still waiting.
 */
export async function releaseHeld(db: Db, advisorId: number, releases: Release[], realNow: Date): Promise<number> {
  if (releases.length === 0) return 0;
  const rows = await db.query(
    `with given as materialized (
       select *
       from json_to_recordset($2) as g (
         "messageId" bigint, pace integer, "deferredUntil" timestamptz, "openUntil" timestamptz, "expiresAt" timestamptz
       )
     ),
     released as (
       update messages
       set status = 'queued', held_reason = null
       from given
       where messages.advisor_id = $1 and messages.message_id = given."messageId" and ${waits}
       returning messages.advisor_id, messages.message_id, given."deferredUntil" as deferred_until,
         given."openUntil" as open_until, given."expiresAt" as expires_at,
         case when given."deferredUntil" is null then ${spacingAt('given.pace')} end as spacing
     ),
     ${slotsOf('released', { order: 'message_id', realNow: '$3' })}
     insert into dispatches (advisor_id, message_id, carrier_id, not_before, deferred_until, open_until, expires_at)
     select
       advisor_id, message_id,
       coalesce((select carrier_id from advisors where advisors.advisor_id = $1), ${sandboxCarrierId}), slot,
       deferred_until, open_until, expires_at + (slot - $3)
     from slots
     returning 1`,
    [advisorId, JSON.stringify(releases), realNow],
  );
  return rows.length;
}

/** Fails texts that wait, and archives it. Returns how many were still waiting. */
export async function failHeld(
  db: Db,
  advisorId: number,
  messageIds: number[],
  { failureCode, now }: { failureCode: string; now: Date },
): Promise<number> {
  if (messageIds.length === 0) return 0;
  const rows = await db.query(
    `with failed as (
       update messages
       set status = 'failed', failure_code = $3, held_reason = null, date_time_ended = $4
       where advisor_id = $1 and message_id = any ($2) and ${waits}
       returning ${outcomeColumns}, 'service' as actor, ${oneStep}
     ),
     ${outcomeEntries('failed', '$4')}
     select
     from failed`,
    [advisorId, messageIds, failureCode, now],
  );
  return rows.length;
}

/** A text that waits is held, for this reason from now on. False if it doesn't wait any more. */
export async function holdText(db: Db, advisorId: number, messageId: number, reason: HeldReason): Promise<boolean> {
  return db.has(
    `update messages
     set status = 'held', held_reason = $3, waited_for = coalesce(waited_for, 'decision')
     where advisor_id = $1 and message_id = $2 and ${waits}
     returning 1`,
    [advisorId, messageId, reason],
  );
}
