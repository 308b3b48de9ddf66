import type { EntryRow } from '../archive/archive.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

export const consentStates = ['none', 'pending', 'accepted', 'opted_out'] as const;
export type ConsentState = (typeof consentStates)[number];

/** A member's consent: columns of its row in `members`. */
export type ConsentRow = {
  state: ConsentState;
  lastChanged: Date;
  /** The latest stamps of the person's texts that said stop, and of those that said start. */
  stoppedAt: Date | null;
  startedAt: Date | null;
  /** When the person wrote the last reply that may mean stop; null while no text is held for one. */
  heldSince: Date | null;
  consentRequests: number;
  requestedAt: Date | null;
  reminded: boolean;
};

/** Columns to change; an unset or null one stays as it is. */
export type ConsentChange = Partial<Pick<ConsentRow, 'state' | 'lastChanged' | 'stoppedAt' | 'startedAt' | 'reminded'>>;

export const consentColumns = `
  m.state, m.last_changed as "lastChanged", m.stopped_at as "stoppedAt", m.started_at as "startedAt",
  m.held_since as "heldSince", m.consent_requests as "consentRequests",
  m.requested_at as "requestedAt", m.reminded`;

/** A lateral join: the last consent entry of the member `m`, which only a move of consent writes. One index lookup. */
export const lastConsentEntry = `
  left join lateral (
    select number, consent_state as state, consent_phone as phone
    from archive_entries
    where advisor_id = m.advisor_id and member_id = m.member_id and kind = 'consent'
    order by number desc
    limit 1
  ) as entry on true`;

/** The state that this entry proves; null if it is about another number. */
export const provenState = `
  case
    when entry.number is null then 'none'
    when coalesce(entry.phone, m.phone) = m.phone then entry.state
  end`;

export async function updateConsent(
  db: Db,
  advisorId: number,
  memberId: number,
  { state, lastChanged, stoppedAt, startedAt, reminded }: ConsentChange,
): Promise<void> {
  await db.query(
    `update members
     set state = coalesce($3, state),
         last_changed = coalesce($4, last_changed),
         stopped_at = coalesce($5, stopped_at),
         started_at = coalesce($6, started_at),
         reminded = coalesce($7, reminded)
     where advisor_id = $1 and member_id = $2`,
    [advisorId, memberId, state ?? null, lastChanged ?? null, stoppedAt ?? null, startedAt ?? null, reminded ?? null],
    'update-consent',
  );
}

/** Holds every text to the member, or no longer. */
export async function updateHeldSince(
  db: Db,
  advisorId: number,
  memberId: number,
  heldSince: Date | null,
): Promise<void> {
  await db.query(
    `update members
     set held_since = $3
     where advisor_id = $1 and member_id = $2`,
    [advisorId, memberId, heldSince],
    'update-held-since',
  );
}

/** Counts a consent request to each member, pending as of now, or as of the first request if it is a repeat. */
export async function updateRequested(db: Db, advisorId: number, memberIds: number[], now: Date): Promise<void> {
  await db.query(
    `update members
     set last_changed = case when state = 'pending' then last_changed else $3 end,
         state = 'pending',
         consent_requests = consent_requests + 1,
         requested_at = $3,
         reminded = false
     where advisor_id = $1 and member_id = any ($2)`,
    [advisorId, memberIds, now],
    'update-requested',
  );
}

/** Those of these members whose consent is not pending. */
export async function listSettledMembers(
  db: Db,
  members: { advisorId: number; memberId: number }[],
): Promise<{ advisorId: number; memberId: number }[]> {
  return forAdvisors(db, members, (db, members) =>
    db.query(
      `select m.advisor_id as "advisorId", m.member_id as "memberId"
     from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, member_id)
     join members m on m.advisor_id = given.advisor_id and m.member_id = given.member_id
     where m.state <> 'pending'`,
      columnsOf(members, 'advisorId', 'memberId'),
      'list-settled-members',
    ),
  );
}

/** A member's consent entries, oldest first; the body is null once its retention has ended. */
export async function listConsentEntries(db: Db, advisorId: number, memberId: number) {
  return db.query<Omit<EntryRow, 'body'> & { body: string | null }>(
    `select
       advisor_id as "advisorId", number, kind, member_id as "memberId", message_id as "messageId", actor,
       trace_id as "traceId", meta, convert_from(b.body, 'UTF8') as body, date_time_created as "dateTimeCreated"
     from archive_entries e
     left join archive_bodies b using (advisor_id, number)
     where advisor_id = $1 and member_id = $2 and kind = 'consent'
     order by number`,
    [advisorId, memberId],
  );
}
