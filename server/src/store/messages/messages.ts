import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { PhoneOf } from '../texting/members.ts';

/** Why a text is sent: what consent it needs follows from it. */
export type TextKind = 'text' | 'consent_request' | 'reminder' | 'opt_in' | 'opt_out' | 'help';

/** What decides whether a number can be texted now, and what the text needs to know of the advisor. */
export type RecipientRow = {
  /** Unset while the number is unknown. */
  memberId: number | null;
  state: ConsentState | null;
  lastReplyAt: Date | null;
  firstTextedAt: Date | null;
  hasContact: boolean;
  /** Of the oldest contact that has the number. */
  contactState: string | null;
  firmId: number;
  firmName: string;
  firstTextLine: boolean | null;
  advisorName: string;
  textingNumber: string | null;
  timeZone: string;
  consentRequired: boolean;
  consentCollection: boolean;
  quietHours: 'off' | 'defer' | 'refuse';
  textingPace: number | null;
  disabled: boolean;
};

/** A text that goes into the archive and out. */
export type NewText = {
  advisorId: number;
  memberId: number;
  kind: TextKind;
  text: string;
  /** Facts for the archive, as JSON. */
  meta: object;
  actor: string;
  traceId: string | null;
  segments: number;
  encoding: string;
  scheduledMessageId: number | null;
  /** Texts a second from the advisor's number. */
  pace: number | null;
  deferredUntil: Date | null;
  openUntil: Date | null;
  expiresAt: Date | null;
  /** Whether it waits for somebody to approve it, with no place in the outbox. */
  held?: boolean;
};

/** A text that was held, and when it may go. */
export type Release = { messageId: number } & Pick<NewText, 'pace' | 'deferredUntil' | 'openUntil'>;

export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'in_doubt' | 'held';

export type MessageRow = {
  messageId: number;
  memberId: number;
  phone: string;
  status: MessageStatus | 'submitting';
  segments: number;
  encoding: string;
  failureCode: string | null;
  dateTimeCreated: Date;
  dateTimeSent: Date | null;
  dateTimeDelivered: Date | null;
};

/** A row for each number, in their order; none for a number of an advisor that doesn't exist. */
export async function listRecipients(db: Db, numbers: PhoneOf[]): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    `select
       m.member_id as "memberId", m.state, m.last_reply_at as "lastReplyAt", m.first_texted_at as "firstTextedAt",
       c.contact_id is not null as "hasContact", c.state as "contactState",
       a.firm_id as "firmId", f.name as "firmName", f.first_text_line as "firstTextLine", a.name as "advisorName",
       a.texting_number as "textingNumber", a.time_zone as "timeZone", a.consent_required as "consentRequired",
       a.consent_collection as "consentCollection", a.quiet_hours as "quietHours", a.texting_pace as "textingPace",
       a.disabled
     from unnest($1::bigint[], $2::text[]) with ordinality as given (advisor_id, phone, position)
     join advisors a using (advisor_id)
     join firms f using (firm_id)
     left join members m on m.advisor_id = given.advisor_id and m.phone = given.phone
     left join lateral (
       select contact_id, state
       from contacts
       where advisor_id = given.advisor_id and phone = given.phone
       order by contact_id
       limit 1
     ) as c on true
     order by position`,
    [numbers.map(({ advisorId }) => advisorId), numbers.map(({ phone }) => phone)],
    'list-recipients',
  );
}

/**
 * Takes texts on: a message, an archive entry with its body, and a place in the outbox for each, in one statement, however
 * many there are and for whichever advisors. What answers a person doesn't wait behind what the advisor began: a
 * confirmation goes out within minutes or never. What is held gets its place when it is approved. Returns their ids in order.
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
         uuid_send(gen_random_uuid()) as salt,
         kind in ('text', 'consent_request') as paced,
         case
           when deferred_until is null and held is not true and kind in ('text', 'consent_request')
             then coalesce(1.0 / pace, 0) * interval '1 second'
         end as spacing
       from rows from (
         json_to_recordset($1) as (
           "advisorId" bigint, "memberId" bigint, kind text, text text, meta text, actor text, "traceId" text,
           segments smallint, encoding text, "scheduledMessageId" bigint, pace integer, "deferredUntil" timestamptz,
           "openUntil" timestamptz, "expiresAt" timestamptz, held boolean
         )
       ) with ordinality as g (
         advisor_id, member_id, kind, text, meta, actor, trace_id, segments, encoding, scheduled_message_id, pace,
         deferred_until, open_until, expires_at, held, position
       )
     ),
     counts as (
       select advisor_id, count(*) as entries, coalesce(sum(spacing), interval '0') as duration
       from given
       group by advisor_id
     ),
     heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, entries, $3::timestamptz + duration
       from counts
       order by advisor_id
       on conflict (advisor_id) do update
       set last_number = head.last_number + excluded.last_number,
           next_slot = greatest(head.next_slot, $3) + (excluded.next_slot - $3)
       returning advisor_id, last_number, next_slot
     ),
     numbered as materialized (
       select g.*,
         last_number - entries + row_number() over advisors as number,
         case when paced then next_slot - duration + coalesce(sum(spacing) over earlier, interval '0') else $3 end
           as not_before
       from given g
       join heads using (advisor_id)
       join counts using (advisor_id)
       window
         advisors as (partition by g.advisor_id order by position),
         earlier as (partition by g.advisor_id order by position rows between unbounded preceding and 1 preceding)
     ),
     bodies as (
       insert into archive_bodies (advisor_id, number, salt, body)
       select advisor_id, number, salt, bytes
       from numbered
     ),
     entered as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
       )
       select advisor_id, number, 'text_out', member_id, message_id, actor, trace_id, meta, sha256(salt || bytes), $2
       from numbered
     ),
     queued as (
       insert into dispatches (advisor_id, message_id, not_before, deferred_until, open_until, expires_at)
       select advisor_id, message_id, not_before, deferred_until, open_until, expires_at
       from numbered
       where held is not true
     ),
     taken as (
       insert into messages (
         advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, scheduled_message_id,
         date_time_created
       )
       select
         advisor_id, message_id, member_id, kind, number, case when held then 'held' else 'queued' end, segments,
         encoding, scheduled_message_id, $2
       from numbered
     )
     select message_id as "messageId"
     from numbered
     order by position`,
    [JSON.stringify(texts.map((text) => ({ ...text, meta: JSON.stringify(text.meta) }))), now, realNow],
    'insert-texts',
  );
  return rows.map(({ messageId }) => messageId);
}

/**
 * Gives a text that was held its place in the outbox, with a slot of the advisor's pace unless it waits for the recipient's
 * day. False where it isn't held any more.
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
         case when $5::timestamptz is null then coalesce(1.0 / $4::integer, 0) else 0 end * interval '1 second' as spacing
     ),
     heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, 0, $3::timestamptz + spacing
       from released
       on conflict (advisor_id) do update
       set next_slot = greatest(head.next_slot, $3) + (excluded.next_slot - $3)
       returning next_slot
     )
     insert into dispatches (advisor_id, message_id, not_before, deferred_until, open_until)
     select advisor_id, message_id, next_slot - spacing, $5, $6
     from released, heads
     returning 1`,
    [advisorId, messageId, realNow, pace, deferredUntil, openUntil],
  );
  return rows.length > 0;
}

/** A text that was held and will not go out. False where it isn't held any more. */
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

/** Remembers who has had a first text, where nobody had before; locked in the order in which everybody locks members. */
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

export async function findMessage(db: Db, advisorId: number, messageId: number): Promise<MessageRow | null> {
  const [row] = await db.query<MessageRow>(
    `select
       message_id as "messageId", member_id as "memberId", phone, status, segments, encoding,
       failure_code as "failureCode", t.date_time_created as "dateTimeCreated", date_time_sent as "dateTimeSent",
       date_time_delivered as "dateTimeDelivered"
     from messages t
     join members m using (advisor_id, member_id)
     where advisor_id = $1 and message_id = $2`,
    [advisorId, messageId],
    'find-message',
  );
  return row ?? null;
}
