import { saltWith } from '../archive/archive.ts';
import { standingsOf } from '../archive/heads.ts';
import type { Db } from '../database/db.ts';
import { onHeads } from './pace.ts';

/** Why a text is held: a lexicon's finding, or a reply that may mean stop. */
export type HeldReason = 'supervision' | 'possible_opt_out';

/** Why a text is sent, which decides the consent it needs. */
export type TextKind = 'text' | 'consent_request' | 'reminder' | 'opt_in' | 'opt_out' | 'help';

/** Answers to a person skip the pace: a confirmation goes out within minutes or never. */
const pacedKinds: TextKind[] = ['text', 'consent_request'];

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
 * texts and advisors. Held texts enter the outbox when they are released. Returns the message ids in order.
 */
export async function insertTexts(
  db: Db,
  texts: NewText[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<number[]> {
  if (texts.length === 0) return [];
  const { standings, advisorIds, counts, seconds } = standingsOf(texts.map(withSeconds));
  const given = texts.map((text, index) => ({ ...text, ...standings[index], meta: JSON.stringify(text.meta) }));
  const rows = await db.query<{ messageId: number }>(
    `with heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, entries, $3::timestamptz + seconds * interval '1 second'
       from unnest($4::bigint[], $5::bigint[], $6::float8[]) as g (advisor_id, entries, seconds)
       ${onHeads('$3')}
       returning advisor_id, last_number, next_slot
     ),
     ends as materialized (
       select
         array_agg(last_number order by advisor_id) as last_numbers, array_agg(next_slot order by advisor_id) as next_slots
       from heads
     ),
     given as materialized (
       select *, nextval('message_ids') as message_id, (select last_numbers from ends)[place] - after as number,
         convert_to(text, 'UTF8') as bytes, ${saltWith('name')} as salt
       from rows from (
         json_to_recordset($1) as (
           "advisorId" bigint, "memberId" bigint, kind text, text text, meta text, actor text, "traceId" text,
           segments smallint, encoding text, "scheduledMessageId" bigint, "deferredUntil" timestamptz,
           "openUntil" timestamptz, "expiresAt" timestamptz, "heldReason" text, name text, place integer, after integer,
           "secondsLeft" float8
         )
       ) with ordinality as g (
         advisor_id, member_id, kind, text, meta, actor, trace_id, segments, encoding, scheduled_message_id,
         deferred_until, open_until, expires_at, held_reason, name, place, after, seconds_left,
         position
       )
     ),
     bodies as (
       insert into archive_bodies (advisor_id, number, salt, body)
       select advisor_id, number, salt, bytes
       from given
     ),
     entered as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
       )
       select advisor_id, number, 'text_out', member_id, message_id, actor, trace_id, meta, sha256(salt || bytes), $2
       from given
     ),
     queued as (
       insert into dispatches (advisor_id, message_id, not_before, deferred_until, open_until, expires_at)
       select
         advisor_id, message_id,
         case
           when kind = any ($7::text[]) then (select next_slots from ends)[place] - seconds_left * interval '1 second'
           else $3
         end,
         deferred_until, open_until, expires_at
       from given
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
       from given
     )
     select message_id as "messageId"
     from given
     order by position`,
    [JSON.stringify(given), now, realNow, advisorIds, counts, seconds, pacedKinds],
    'insert-texts',
  );
  return rows.map(({ messageId }) => messageId);
}

/** The part of the pace that a text takes up; one that waits for the recipient's day or a decision takes it when released. */
function withSeconds({ advisorId, kind, pace, deferredUntil, heldReason }: NewText) {
  const waits = deferredUntil !== null || heldReason !== undefined;
  return { advisorId, seconds: pacedKinds.includes(kind) && pace && !waits ? 1 / pace : 0 };
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
