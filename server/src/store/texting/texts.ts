import { newSalt } from '../archive/archive.ts';
import { standingsOf } from '../archive/heads.ts';
import { sandboxCarrierId } from '../carriers/carriers.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { onHeads } from './pace.ts';

/** Why a text is held: a lexicon's finding, or a reply that may mean stop. */
export type HeldReason = 'supervision' | 'possible_opt_out';

/** What a text waited for first: the person's consent, somebody's decision, or the hours in which they may be texted. */
export type WaitedFor = 'consent' | 'decision' | 'hours';

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
  /** The carrier of the advisor's number. */
  carrierId: number | null;
  deferredUntil: Date | null;
  openUntil: Date | null;
  /** Domain time; if a pace gives it a later slot, it expires so much later. */
  expiresAt: Date | null;
  /** Why it waits for a decision, outside the outbox. */
  heldReason?: HeldReason;
  /** It waits for the person's consent, outside the outbox too. */
  awaitsConsent?: true;
};

/** Ids for new messages, in order. Drawn before the texts are inserted, so that nobody has to wait for that to know them. */
export async function drawMessageIds(db: Db, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await db.query<{ messageId: number }>(
    `select nextval('message_ids') as "messageId"
     from generate_series(1, $1::integer)`,
    [count],
    'draw-message-ids',
  );
  return rows.map(({ messageId }) => messageId);
}

/** Most texts have few of these. */
const times = ['deferredUntil', 'openUntil', 'expiresAt'] as const;
const mostlyNull = ['name', 'scheduledMessageId', ...times, 'heldReason', 'awaitsConsent'] as const;

/**
 * Accepts texts: a message, an archive entry with its body, and an outbox row for each, in one statement, for any number of
 * texts and advisors. Texts that are held or await consent enter the outbox when they are released.
 *
 * Each column is an array: parsed from JSON, a text cost PostgreSQL a quarter more. A row has its advisor's place in an array
 * instead of a join, whose cost would grow with the square of the batch.
 */
export async function insertTexts(
  db: Db,
  texts: NewText[],
  { messageIds, now, realNow }: { messageIds: number[]; now: Date; realNow: Date },
): Promise<void> {
  if (texts.length === 0) return;
  const ids = new Map(texts.map((text, index) => [text, messageIds[index]]));
  await forAdvisors(db, texts, (db, texts) => {
    const { standings, advisorIds, counts, seconds } = standingsOf(texts.map(withSeconds));
    return db.write(
      `with heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, entries, $2::timestamptz + seconds * interval '1 second'
       from unnest($3::bigint[], $4::bigint[], $5::float8[]) as g (advisor_id, entries, seconds)
       ${onHeads('$2')}
       returning advisor_id, last_number, next_slot
     ),
     ends as materialized (
       select
         array_agg(last_number order by advisor_id) as last_numbers, array_agg(next_slot order by advisor_id) as next_slots
       from heads
     ),
     given as materialized (
       select
         *, ($3::bigint[])[place] as advisor_id,
         (select last_numbers from ends)[place] - after as number,
         convert_to(text, 'UTF8') as bytes, ${newSalt} as salt
       from unnest(
         $6::bigint[], $7::integer[], $8::integer[], $9::float8[], $10::bigint[], $11::text[], $12::text[], $13::text[],
         $14::text[], $15::text[], $16::smallint[], $17::text[], $18::text[], $19::bigint[], $20::timestamptz[],
         $21::timestamptz[], $22::timestamptz[], $23::text[], $24::boolean[]
       ) as g (
         message_id, place, after, seconds_left, member_id, kind, text, meta,
         actor, trace_id, segments, encoding, name, scheduled_message_id, deferred_until,
         open_until, expires_at, held_reason, awaits_consent
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
       select advisor_id, number, 'text_out', member_id, message_id, actor, trace_id, meta, sha256(salt || bytes), $1
       from given
     ),
     queued as (
       insert into dispatches (advisor_id, message_id, carrier_id, not_before, deferred_until, open_until, expires_at)
       select
         advisor_id, message_id, ($25::smallint[])[place],
         slot, deferred_until, open_until, expires_at + (slot - $2)
       from given
       cross join lateral (
         select coalesce((select next_slots from ends)[place] - seconds_left * interval '1 second', $2) as slot
       ) as its
       where held_reason is null and awaits_consent is null
     )
     insert into messages (
       advisor_id, message_id, member_id, kind, archive_number, status, held_reason, waited_for, segments, encoding,
       scheduled_message_id, date_time_created
     )
     select
       advisor_id, message_id, member_id, kind, number,
       case when awaits_consent then 'awaiting_consent' when held_reason is null then 'queued' else 'held' end,
       held_reason,
       case when awaits_consent then 'consent' when held_reason is not null then 'decision' when deferred_until is not null then 'hours' end,
       segments, encoding, scheduled_message_id, $1
     from given`,
      [
        now,
        realNow,
        advisorIds,
        counts,
        seconds,
        texts.map((text) => ids.get(text)),
        ...columnsOf(standings, 'place', 'after'),
        standings.map(({ secondsLeft }, index) => (secondsOf(texts[index] as NewText) > 0 ? secondsLeft : null)),
        ...columnsOf(texts, 'memberId', 'kind', 'text'),
        texts.map(({ meta }) => JSON.stringify(meta)),
        ...columnsOf(texts, 'actor', 'traceId', 'segments', 'encoding'),
        ...columnsOf(texts, ...mostlyNull).map(withoutNulls),
        carriersOf(texts, advisorIds),
      ],
      'insert-texts',
    );
  });
}

/**
 * The carrier of each advisor's number. A number that has lost its carrier this moment can still get a text: that one waits with
 * the first carrier until the number has another.
 */
function carriersOf(texts: NewText[], advisorIds: number[]): number[] {
  const carriers = new Map(texts.map(({ advisorId, carrierId }) => [advisorId, carrierId]));
  return advisorIds.map((advisorId) => carriers.get(advisorId) ?? sandboxCarrierId);
}

/** A column that ends early is null in the other rows. */
function withoutNulls(column: unknown[]): unknown[] {
  return column.slice(0, column.findLastIndex((value) => value !== null) + 1);
}

function withSeconds(text: NewText) {
  return { advisorId: text.advisorId, seconds: secondsOf(text) };
}

/**
 * The part of the pace that a text takes up; one that waits for the recipient's day or a decision takes it when released. Answers to a
 * person skip the pace: a confirmation goes out within minutes or never.
 */
function secondsOf({ kind, pace, deferredUntil, heldReason, awaitsConsent }: NewText): number {
  const waits = deferredUntil !== null || heldReason !== undefined || awaitsConsent;
  const isPaced = kind === 'text' || kind === 'consent_request';
  return isPaced && pace && !waits ? 1 / pace : 0;
}

/** Marks members who have now had their first text. Locks them by advisor and phone, as everywhere, to avoid deadlocks. */
export async function updateFirstTexted(
  db: Db,
  members: { advisorId: number; memberId: number }[],
  now: Date,
): Promise<void> {
  if (members.length === 0) return;
  await forAdvisors(db, members, (db, members) =>
    db.write(
      `with locked as materialized (
       select m.advisor_id, m.member_id
       from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, member_id)
       join members m on m.advisor_id = given.advisor_id and m.member_id = given.member_id
       where m.first_texted_at is null
       order by m.advisor_id, m.phone
       for update of m
     )
     update members
     set first_texted_at = $3
     from locked
     where members.advisor_id = locked.advisor_id and members.member_id = locked.member_id`,
      [...columnsOf(members, 'advisorId', 'memberId'), now],
      'update-first-texted',
    ),
  );
}
