import type { Db } from '../database/db.ts';
import { slotsOf, spacingAt } from './pace.ts';
import type { NewText } from './texts.ts';

/** A held text, and when it may go out. */
export type Release = { messageId: number } & Pick<NewText, 'pace' | 'deferredUntil' | 'openUntil'>;

/**
 * Moves a held text to the outbox, with a slot in the advisor's pace unless it waits for the recipient's day. False if it is
 * no longer held.
 */
export async function releaseHeld(
  db: Db,
  advisorId: number,
  { messageId, pace, deferredUntil, openUntil }: Release,
  realNow: Date,
): Promise<boolean> {
  const rows = await db.query(
    `with released as (
       update messages
       set status = 'queued'
       where advisor_id = $1 and message_id = $2 and status = 'held'
       returning advisor_id, message_id,
         case when $5::timestamptz is null then ${spacingAt('$4::integer')} end as spacing
     ),
     ${slotsOf('released', { order: 'message_id', realNow: '$3' })}
     insert into dispatches (advisor_id, message_id, not_before, deferred_until, open_until)
     select advisor_id, message_id, slot, $5, $6
     from slots
     returning 1`,
    [advisorId, messageId, realNow, pace, deferredUntil, openUntil],
  );
  return rows.length > 0;
}

/** Fails a held text. False if it is no longer held. */
export async function failHeld(db: Db, advisorId: number, messageId: number, failureCode: string): Promise<boolean> {
  const rows = await db.query(
    `update messages
     set status = 'failed', failure_code = $3
     where advisor_id = $1 and message_id = $2 and status = 'held'
     returning 1`,
    [advisorId, messageId, failureCode],
  );
  return rows.length > 0;
}
