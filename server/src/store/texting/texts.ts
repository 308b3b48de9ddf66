import { saltWith } from '../archive/archive.ts';
import type { Db } from '../database/db.ts';
import { slotsOf, spacingAt } from './pace.ts';

/** Why a text is held: a lexicon's finding, or a reply that may mean stop. */
export type HeldReason = 'supervision' | 'possible_opt_out';

/** Why a text is sent, which decides the consent it needs. */
export type TextKind = 'text' | 'consent_request' | 'reminder' | 'opt_in' | 'opt_out' | 'help';

/** A text for the archive and the outbox. */
export type NewText = {
  advisorId: number;
  memberId: number;
  kind: TextKind;
  text: string;
  /** What the address book calls the person. */
  name?: string | null;
  /** Facts for the archive, as JSON. */
  meta: object;
  actor: string;
  traceId: string | null;
  segments: number;
  encoding: string;
  scheduledMessageId: number | null;
  /** Texts per second from the advisor's number. */
  pace: number | null;
  deferredUntil: Date | null;
  openUntil: Date | null;
  expiresAt: Date | null;
  /** Why it waits for a decision, outside the outbox. */
  heldReason?: HeldReason;
};

/**
 * Accepts texts: a message, an archive entry with its body, and an outbox row for each, in one statement, for any number of
 * texts and advisors. Answers to a person skip the pace: a confirmation goes out within minutes or never. Held texts enter
 * the outbox when they are released. Returns the message ids in order.
 */
export async function insertTexts(
  db: Db,
  texts: NewText[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<number[]> {
  if (texts.length === 0) return [];
  const rows = await db.query<{ messageId: number }>(
    `with given as materialized (
       select *, nextval('message_ids') as message_id, convert_to(text, 'UTF8') as bytes,
         ${saltWith('name')} as salt,
         kind in ('text', 'consent_request') as paced,
         case
           when deferred_until is null and held_reason is null and kind in ('text', 'consent_request')
             then ${spacingAt('pace')}
         end as spacing
       from rows from (
         json_to_recordset($1) as (
           "advisorId" bigint, "memberId" bigint, kind text, text text, meta text, actor text, "traceId" text,
           segments smallint, encoding text, "scheduledMessageId" bigint, pace integer, "deferredUntil" timestamptz,
           "openUntil" timestamptz, "expiresAt" timestamptz, "heldReason" text, name text
         )
       ) with ordinality as g (
         advisor_id, member_id, kind, text, meta, actor, trace_id, segments, encoding, scheduled_message_id, pace,
         deferred_until, open_until, expires_at, held_reason, name, position
       )
     ),
     ${slotsOf('given', { order: 'position', realNow: '$3', archived: true })},
     bodies as (
       insert into archive_bodies (advisor_id, number, salt, body)
       select advisor_id, number, salt, bytes
       from slots
     ),
     entered as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
       )
       select advisor_id, number, 'text_out', member_id, message_id, actor, trace_id, meta, sha256(salt || bytes), $2
       from slots
     ),
     queued as (
       insert into dispatches (advisor_id, message_id, not_before, deferred_until, open_until, expires_at)
       select
         advisor_id, message_id, case when paced then slot else $3 end, deferred_until, open_until, expires_at
       from slots
       where held_reason is null
     ),
     accepted as (
       insert into messages (
         advisor_id, message_id, member_id, kind, archive_number, status, held_reason, segments, encoding,
         scheduled_message_id, date_time_created
       )
       select
         advisor_id, message_id, member_id, kind, number, case when held_reason is null then 'queued' else 'held' end,
         held_reason, segments, encoding, scheduled_message_id, $2
       from slots
     )
     select message_id as "messageId"
     from slots
     order by position`,
    [JSON.stringify(texts.map((text) => ({ ...text, meta: JSON.stringify(text.meta) }))), now, realNow],
    'insert-texts',
  );
  return rows.map(({ messageId }) => messageId);
}

/** Marks members who have now had their first text. Locks them by advisor and phone, as everywhere, to avoid deadlocks. */
export async function updateFirstTexted(
  db: Db,
  members: { advisorId: number; memberId: number }[],
  now: Date,
): Promise<void> {
  if (members.length === 0) return;
  await db.query(
    `with locked as materialized (
       select advisor_id, member_id
       from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, member_id)
       join members m using (advisor_id, member_id)
       where m.first_texted_at is null
       order by advisor_id, phone
       for update of m
     )
     update members
     set first_texted_at = $3
     from locked
     where members.advisor_id = locked.advisor_id and members.member_id = locked.member_id`,
    [members.map(({ advisorId }) => advisorId), members.map(({ memberId }) => memberId), now],
    'update-first-texted',
  );
}
