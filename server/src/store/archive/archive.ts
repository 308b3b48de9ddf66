import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { eventsAt, insertedEvents, type NewEvent } from '../events/new-events.ts';
import { endsOf, standingsOf } from './heads.ts';

/**
 * What an entry is about. Outgoing texts are archived with their messages (store/texting/texts.ts), and what became of them
 * with the outcome (store/texting/text-outcomes.ts); retentions, holds and disposals by the functions of the database that
 * make them.
 */
type EntryKind =
  | 'text_in'
  | 'media_in'
  | 'consent'
  | 'schedule'
  | 'broadcast'
  | 'review'
  | 'export'
  | 'merge'
  | 'setting'
  | 'staff'
  | 'sign_in'
  | 'text_read'
  | 'reconciliation';

/** Something that happened in an advisor's texting, as the archive keeps it; advisor 0 is the deployment. */
export type NewEntry = {
  advisorId: number;
  kind: EntryKind;
  memberId: number | null;
  actor: string;
  traceId: string | null;
  /** Facts, as JSON; `via` is one of them. */
  meta: object;
  via?: 'command';
  /** What the address book calls the person, for a text or a change of consent. */
  name?: string | null;
  /** Bytes of any kind only for media, which has no name. */
  body: string | Buffer;
  /** What partners are told about it. */
  events?: NewEvent[];
};

/**
 * SQL for a new salt: random bytes, and then the person's name, which a zero byte ends. The name is personal like the body,
 * so it is committed to and disposed of with the body.
 */
export const newSalt = `uuid_send(gen_random_uuid()) || coalesce(convert_to(name, 'UTF8') || '\\x00'::bytea, '')`;

export type EntryRow = {
  advisorId: number;
  number: number;
  kind: string;
  memberId: number | null;
  messageId: number | null;
  actor: string;
  traceId: string | null;
  meta: string;
  body: string;
  dateTimeCreated: Date;
};

/** Adds entries and their events. */
export async function insertEntries(db: Db, entries: NewEntry[], now: Date): Promise<void> {
  if (entries.length === 0) return;
  await forAdvisors(db, entries, (db, entries) => db.write(...insertion(entries, now)));
}

/** Adds entries and their events, and returns the number of each entry. */
export async function insertNumberedEntries(db: Db, entries: NewEntry[], now: Date): Promise<number[]> {
  if (entries.length === 0) return [];
  return forAdvisors(db, entries, async (db, entries) => {
    const rows = await db.query<{ number: number }>(...insertion(entries, now));
    return rows.map(({ number }) => number);
  });
}

function insertion(entries: NewEntry[], now: Date): [text: string, values: unknown[], name: string] {
  const { advisorIds, counts, standings } = standingsOf(entries);
  const given = entries.map(({ events: _, body, via, ...entry }, index) => ({
    ...entry,
    ...(typeof body === 'string' ? { body } : { base64: body.toString('base64') }),
    ...standings[index],
    meta: JSON.stringify({ ...entry.meta, via }),
  }));
  const events = eventsAt(
    entries.flatMap(({ events = [] }) => events),
    advisorIds,
  );
  return [
    `with ${endsOf('select * from unnest($3::bigint[], $4::bigint[], $5::bigint[])')},
     numbered as materialized (
       select *,
         (select last_numbers from ends)[place] - after as number,
         coalesce(decode(base64, 'base64'), convert_to(body, 'UTF8')) as bytes,
         ${newSalt} as salt
       from rows from (
         json_to_recordset($1) as (
           "advisorId" bigint, kind text, "memberId" bigint, actor text, "traceId" text, meta text, name text, body text,
           base64 text, place integer, after integer
         )
       ) with ordinality as g (
         advisor_id, kind, member_id, actor, trace_id, meta, name, body, base64, place, after, position
       )
     ),
     bodies as (
       insert into archive_bodies (advisor_id, number, salt, body)
       select advisor_id, number, salt, bytes
       from numbered
     ),
     entered as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, actor, trace_id, meta, commitment, date_time_created
       )
       select advisor_id, number, kind, member_id, actor, trace_id, meta, sha256(salt || bytes), $2
       from numbered
     ),
     ${insertedEvents({ events: '$6', now: '$2' })}
     select number
     from numbered
     order by position`,
    [JSON.stringify(given), now, advisorIds, counts, events.counts, JSON.stringify(events.given)],
    'insert-entries',
  ];
}

/** Locks these advisors' heads, always in the same order, for callers that add entries more than once. */
export async function lockHeads(db: Db, advisorIds: number[]): Promise<void> {
  const heads = [...new Set(advisorIds)].map((advisorId) => ({ advisorId }));
  await forAdvisors(db, heads, (db, heads) =>
    db.write(
      `select
     from archive_heads head
     join unnest($1::bigint[]) as wanted (advisor_id) on head.advisor_id = wanted.advisor_id
     order by head.advisor_id
     for no key update of head`,
      [heads.map(({ advisorId }) => advisorId)],
      'lock-heads',
    ),
  );
}

/** An advisor's entries by number: after `after`, up to and including `upTo`. */
export type EntrySpan = { advisorId: number; after: number; upTo: number };
