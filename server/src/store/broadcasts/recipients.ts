import type { ContactRow } from '../address-book/contacts.ts';
import type { ConsentState } from '../consent/consents.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import type { HeldReason } from '../texting/texts.ts';

/** Somebody in a group, with what a text may call them. */
export type GroupPerson = Pick<ContactRow, 'contactId' | 'phone' | 'firstName' | 'lastName' | 'nickname'> & {
  name: string | null;
  /** With the id, the place in the order of names. */
  fullName: string;
};

type RecipientState = 'waiting' | 'accepted' | 'refused' | 'stopped';

export type NewRecipient = {
  place: number;
  contactId: number;
  name: string | null;
  phone: string | null;
  text: string;
  code: string | null;
};

/** Somebody whose text may be accepted now. */
export type WaitingRecipient = { place: number; phone: string; text: string; notBefore: Date | null };

export type RecipientChange = {
  place: number;
  state: RecipientState;
  messageId: number | null;
  code: string | null;
  notBefore: Date | null;
};

/** What became of one person's text. What it doesn't have is null. */
export type RecipientOutcome = NewRecipient & {
  memberId: number | null;
  consent: ConsentState | null;
  state: RecipientState;
  status: string | null;
  failureCode: string | null;
  heldReason: HeldReason | null;
  /** When it may go out, if it waits for the person's day. */
  deferredUntil: Date | null;
};

/** How many recipients have come to the same. */
export type OutcomeCount = Pick<RecipientOutcome, 'state' | 'status'> & { isDeferred: boolean; people: number };

/** With how many people are in it, counted up to `countMax`. Null if the advisor has no such group. */
export async function findTextedGroup(
  db: Db,
  advisorId: number,
  groupId: number,
  countMax: number,
): Promise<{ name: string; people: number } | null> {
  const [row] = await db.lookUp<{ name: string; people: number }>(
    `select
       g.name,
       (
         select count(*)
         from (select from memberships s where s.advisor_id = $1 and s.group_id = $2 limit $3) as counted
       ) as people
     from groups g
     where g.advisor_id = $1 and g.group_id = $2`,
    [advisorId, groupId, countMax],
    'find-texted-group',
  );
  return row ?? null;
}

/** In the order of their names, after a place in it. */
export async function listGroupPeople(
  db: Db,
  advisorId: number,
  groupId: number,
  { after, limit }: { after: Pick<GroupPerson, 'fullName' | 'contactId'> | null; limit: number },
): Promise<GroupPerson[]> {
  return db.query(
    `select
       c.contact_id as "contactId", nullif(c.full_name, c.phone) as name, c.full_name as "fullName", c.phone,
       c.first_name as "firstName", c.last_name as "lastName", c.nickname
     from memberships s
     join contacts c on c.advisor_id = s.advisor_id and c.contact_id = s.contact_id
     where s.advisor_id = $1 and s.group_id = $2 and ($3::text is null or (c.full_name, c.contact_id) > ($3, $4))
     order by c.full_name, c.contact_id
     limit $5`,
    [advisorId, groupId, after?.fullName ?? null, after?.contactId ?? 0, limit],
    'list-group-people',
  );
}

/** Those with a code get no text. */
export async function insertRecipients(
  db: Db,
  advisorId: number,
  broadcastId: number,
  recipients: NewRecipient[],
): Promise<void> {
  const rows = recipients.map((recipient) => ({ advisorId, ...recipient }));
  await forAdvisors(db, rows, (db, rows) =>
    db.write(
      `insert into broadcast_recipients (
         advisor_id, broadcast_id, place, contact_id, name, phone, text, code, state
       )
       select $1::bigint, $2::bigint, given.*, case when code is null then 'waiting' else 'refused' end
       from unnest($3::integer[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[]) as given (
         place, contact_id, name, phone, text, code
       )`,
      [advisorId, broadcastId, ...columnsOf(rows, 'place', 'contactId', 'name', 'phone', 'text', 'code')],
      'insert-broadcast-recipients',
    ),
  );
}

/** The next ones, in their order. Whoever asks has locked the broadcast. */
export async function listWaiting(
  db: Db,
  advisorId: number,
  broadcastId: number,
  { now, limit }: { now: Date; limit: number },
): Promise<WaitingRecipient[]> {
  return db.query(
    `select place, phone, text, not_before as "notBefore"
     from broadcast_recipients
     where advisor_id = $1 and broadcast_id = $2 and state = 'waiting' and (not_before is null or not_before <= $3)
     order by place
     limit $4`,
    [advisorId, broadcastId, now, limit],
    'list-waiting-recipients',
  );
}

export async function updateRecipients(
  db: Db,
  advisorId: number,
  broadcastId: number,
  changes: RecipientChange[],
): Promise<number> {
  const rows = changes.map((change) => ({ advisorId, ...change }));
  const updated = await forAdvisors(db, rows, (db, rows) =>
    db.query(
      `update broadcast_recipients r
       set state = given.state, message_id = given.message_id, code = given.code, not_before = given.not_before
       from unnest($3::integer[], $4::text[], $5::bigint[], $6::text[], $7::timestamptz[]) as given (
         place, state, message_id, code, not_before
       )
       where r.advisor_id = $1 and r.broadcast_id = $2 and r.place = given.place and r.state = 'waiting'
       returning r.place`,
      [advisorId, broadcastId, ...columnsOf(rows, 'place', 'state', 'messageId', 'code', 'notBefore')],
      'update-broadcast-recipients',
    ),
  );
  return updated.length;
}

/** Nobody who still waits gets a text. */
export async function stopRecipients(db: Db, advisorId: number, broadcastId: number): Promise<void> {
  await db.query(
    `update broadcast_recipients
     set state = 'stopped', not_before = null
     where advisor_id = $1 and broadcast_id = $2 and state = 'waiting'`,
    [advisorId, broadcastId],
    'stop-broadcast-recipients',
  );
}

const deferredUntil = 'coalesce(r.not_before, d.deferred_until)';
const withTexts = `
  from broadcast_recipients r
  left join messages t on t.advisor_id = r.advisor_id and t.message_id = r.message_id
  left join dispatches d on d.advisor_id = r.advisor_id and d.message_id = r.message_id`;

/** In their order, after a place; `onlyTrouble` leaves out those who got their text, or may still get it. */
export async function listOutcomes(
  db: Db,
  advisorId: number,
  broadcastId: number,
  { after, limit, onlyTrouble }: { after: number; limit: number; onlyTrouble: boolean },
): Promise<RecipientOutcome[]> {
  return db.query(
    `select
       r.place, r.contact_id as "contactId", r.name, r.phone, r.text, r.state, r.code, m.member_id as "memberId",
       m.state as consent,       t.status, t.failure_code as "failureCode", t.held_reason as "heldReason", ${deferredUntil} as "deferredUntil"
     ${withTexts}
     left join members m on m.advisor_id = r.advisor_id and m.phone = r.phone
     where r.advisor_id = $1 and r.broadcast_id = $2 and r.place > $3
       and (
         not $5
         or r.state in ('refused', 'stopped')
         or t.status in ('failed', 'undelivered')
       )
     order by r.place
     limit $4`,
    [advisorId, broadcastId, after, limit, onlyTrouble],
    'list-broadcast-outcomes',
  );
}

export async function countOutcomes(
  db: Db,
  advisorId: number,
  broadcastId: number,
  now: Date,
): Promise<OutcomeCount[]> {
  return db.query(
    `select r.state, t.status, coalesce(${deferredUntil} > $3, false) as "isDeferred", count(*) as people
     ${withTexts}
     where r.advisor_id = $1 and r.broadcast_id = $2
     group by 1, 2, 3`,
    [advisorId, broadcastId, now],
    'count-broadcast-outcomes',
  );
}
