import {
  type ConsentRow,
  type ConsentState,
  consentColumns,
  lastConsentEntry,
  provenState,
} from '../consent/consents.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { drawIds, forAdvisors } from '../database/for-advisors.ts';
import { shareFirmNumbers } from './firm-numbers.ts';

/** A number that an advisor knows, with its consent. */
export type MemberRow = ConsentRow & {
  memberId: number;
  phone: string;
  /** What the oldest contact with this number is called; null if it has no name. */
  name: string | null;
  helpedAt: Date | null;
  lastReplyAt: Date | null;
  dateTimeCreated: Date;
};

/** Columns to change; an unset one stays as it is. */
type MemberChange = { helpedAt?: Date; lastReplyAt?: Date };
export type PhoneOf = { advisorId: number; phone: string };
/** A contact's member, with the state that its entry proves. */
export type ContactMember = Pick<MemberRow, 'memberId' | 'phone' | 'lastChanged'> & {
  provenState: ConsentState | null;
};
/** A number that no contact has. */
type NoMember = { phone: string; memberId: null; lastChanged: null; provenState: null };
export type NewMember = PhoneOf & { memberId: number };

/** SQL for what the address book calls member m. */
export const memberName = `(
    select nullif(c.full_name, c.phone)
    from contacts c
    where c.advisor_id = m.advisor_id and c.phone = m.phone
    order by c.contact_id
    limit 1
  ) as name`;

export const memberColumns = `
  m.member_id as "memberId", m.phone, ${consentColumns}, m.helped_at as "helpedAt", m.last_reply_at as "lastReplyAt",
  m.date_time_created as "dateTimeCreated", ${memberName}`;

const idSequence = 'members_member_id_seq';

/**
 * Creates the members that don't exist yet, in the order of their numbers to avoid deadlocks, and returns them. An advisor who
 * doesn't exist gets none: there is no foreign key. Until the transaction ends, no stop can be extended to the advisors of the
 * firm without seeing them (firm-numbers.ts). A number that is known already takes no lock.
 */
export async function insertMembers(db: Db, numbers: PhoneOf[], now: Date): Promise<NewMember[]> {
  const missing = await listMissing(db, numbers);
  if (missing.length === 0) return [];
  await shareFirmNumbers(db, missing);
  const ids = await drawIds(db, idSequence, missing.length);
  const members = missing.map((number, index) => ({ ...number, memberId: ids[index] }));
  return forAdvisors(db, members, (db, members) =>
    db.query<NewMember>(
      `insert into members (member_id, advisor_id, phone, last_changed, date_time_created)
     overriding system value
     select coalesce(member_id, nextval('${idSequence}')), advisor_id, phone, $4::timestamptz, $4::timestamptz
     from unnest($1::bigint[], $2::text[], $3::bigint[]) as given (advisor_id, phone, member_id)
     order by advisor_id, phone
     on conflict (advisor_id, phone) do nothing
     returning advisor_id as "advisorId", member_id as "memberId", phone`,
      [...columnsOf(members, 'advisorId', 'phone', 'memberId'), now],
      'insert-members',
    ),
  );
}

/** Those of these numbers that their advisors don't know; none for an advisor who doesn't exist. */
async function listMissing(db: Db, numbers: PhoneOf[]): Promise<PhoneOf[]> {
  if (numbers.length === 0) return [];
  return forAdvisors(db, numbers, (db, numbers) =>
    db.lookUp<PhoneOf>(
      `select distinct given.advisor_id as "advisorId", given.phone
     from unnest($1::bigint[], $2::text[]) as given (advisor_id, phone)
     join advisors a on a.advisor_id = given.advisor_id
     where not exists (
       select
       from members m
       where m.advisor_id = given.advisor_id and m.phone = given.phone
     )`,
      columnsOf(numbers, 'advisorId', 'phone'),
      'list-missing-members',
    ),
  );
}

/** The members with these numbers, locked: nobody else changes or relies on them until the transaction ends. */
export async function lockMembers(db: Db, advisorId: number, phones: string[]): Promise<MemberRow[]> {
  return db.query<MemberRow>(
    `select ${memberColumns}
     from members m
     where m.advisor_id = $1 and m.phone = any ($2)
     order by m.phone
     for update`,
    [advisorId, phones],
    'lock-members',
  );
}

/** One member by id, locked in the same way. */
export async function lockMember(db: Db, advisorId: number, memberId: number): Promise<MemberRow | null> {
  return db.find<MemberRow>(
    `select ${memberColumns}
     from members m
     where m.advisor_id = $1 and m.member_id = $2
     for update`,
    [advisorId, memberId],
    'lock-member',
  );
}

/** Locks those of these members whose texts are held, in the usual order, and returns their ids. */
export async function lockHeldMembers(db: Db, members: { advisorId: number; memberId: number }[]): Promise<number[]> {
  const rows = await forAdvisors(db, members, (db, members) =>
    db.query<{ memberId: number }>(
      `select m.member_id as "memberId"
     from (
       select distinct advisor_id, member_id
       from unnest($1::bigint[], $2::bigint[]) as g (advisor_id, member_id)
     ) as given
     join members m on m.advisor_id = given.advisor_id and m.member_id = given.member_id
     where m.held_since is not null
     order by m.advisor_id, m.phone
     for update of m`,
      columnsOf(members, 'advisorId', 'memberId'),
      'lock-held-members',
    ),
  );
  return rows.map(({ memberId }) => memberId);
}

/** A member's number and the firm of its advisor, neither of which ever changes. */
export async function findFirmNumber(db: Db, advisorId: number, memberId: number) {
  return db.find<{ firmId: number; phone: string }>(
    `select a.firm_id as "firmId", m.phone
     from members m
     join advisors a using (advisor_id)
     where m.advisor_id = $1 and m.member_id = $2`,
    [advisorId, memberId],
  );
}

/** The member with this number, whether or not a contact has it too. */
export async function findMember(db: Db, advisorId: number, phone: string): Promise<MemberRow | null> {
  return db.find<MemberRow>(
    `select ${memberColumns}
     from members m
     where m.advisor_id = $1 and m.phone = $2`,
    [advisorId, phone],
  );
}

type ProvenConsent = Pick<MemberRow, 'memberId' | 'lastChanged'> & { provenState: ConsentState | null };

/** The member, by number or by id, if one of the advisor's contacts has its number now, with the state that its entry proves. */
export async function findMemberOfContact(
  db: Db,
  advisorId: number,
  by: { phone: string } | { memberId: number },
): Promise<ProvenConsent | null> {
  const [column, type, value] = 'phone' in by ? ['phone', 'text', by.phone] : ['member_id', 'bigint', by.memberId];
  return db.lookUpOne<ProvenConsent>(
    `select asked.position, m.member_id as "memberId", m.last_changed as "lastChanged", ${provenState} as "provenState"
     from unnest($1::bigint[], $2::${type}[]) with ordinality as asked (advisor_id, ${column}, position)
     cross join lateral (
       select *
       from members
       where advisor_id = asked.advisor_id and ${column} = asked.${column}
       -- A fence, as for contacts.
       offset 0
     ) as m
     ${lastConsentEntry}
     where exists (
       select
       from contacts c
       where c.advisor_id = m.advisor_id and c.phone = m.phone
       offset 0
     )`,
    [advisorId, value],
    `find-member-by-${column}`,
  );
}

/** For each number, in the same order, what findMemberOfContact finds; nulls where it finds nobody. */
export async function listMembersOfContacts(
  db: Db,
  advisorId: number,
  phones: string[],
): Promise<(ContactMember | NoMember)[]> {
  return db.query(
    `select
       given.phone, m.member_id as "memberId", m.last_changed as "lastChanged",
       case when m.member_id is not null then ${provenState} end as "provenState"
     from unnest($2::text[]) with ordinality as given (phone, position)
     left join members m
       on m.advisor_id = $1
       and m.phone = given.phone
       and exists (
         select
         from contacts c
         where c.advisor_id = m.advisor_id and c.phone = m.phone
       )
     ${lastConsentEntry}
     order by position`,
    [advisorId, phones],
    'list-members-of-contacts',
  );
}

export async function updateMember(
  db: Db,
  advisorId: number,
  memberId: number,
  { helpedAt, lastReplyAt }: MemberChange,
): Promise<void> {
  await db.query(
    `update members
     set helped_at = coalesce($3, helped_at),
         last_reply_at = coalesce($4, last_reply_at)
     where advisor_id = $1 and member_id = $2`,
    [advisorId, memberId, helpedAt ?? null, lastReplyAt ?? null],
    'update-member',
  );
}
