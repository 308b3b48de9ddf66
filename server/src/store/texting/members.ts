import { type ConsentRow, consentColumns } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';

/** A number that an advisor knows, with its consent. */
export type MemberRow = ConsentRow & {
  memberId: number;
  phone: string;
  helpedAt: Date | null;
  lastReplyAt: Date | null;
  dateTimeCreated: Date;
};

/** Columns to change; an unset one stays as it is. */
export type MemberChange = { helpedAt?: Date; lastReplyAt?: Date };
export type PhoneOf = { advisorId: number; phone: string };

const columns = `
  m.member_id as "memberId", m.phone, ${consentColumns}, m.helped_at as "helpedAt", m.last_reply_at as "lastReplyAt",
  m.date_time_created as "dateTimeCreated"`;

/** Creates the members that don't exist yet, in the order of their numbers to avoid deadlocks. */
export async function insertMembers(db: Db, numbers: PhoneOf[], now: Date): Promise<void> {
  if (numbers.length === 0) return;
  await db.query(
    `insert into members (advisor_id, phone, last_changed, date_time_created)
     select distinct advisor_id, phone, $2::timestamptz, $2::timestamptz
     from json_to_recordset($1) as given ("advisorId" bigint, phone text), lateral (select "advisorId" as advisor_id)
     order by advisor_id, phone
     on conflict (advisor_id, phone) do nothing`,
    [JSON.stringify(numbers), now],
    'insert-members',
  );
}

/** The members with these numbers, locked: nobody else changes or relies on them until the transaction ends. */
export async function lockMembers(db: Db, advisorId: number, phones: string[]): Promise<MemberRow[]> {
  return db.query<MemberRow>(
    `select ${columns}
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
  const [row] = await db.query<MemberRow>(
    `select ${columns}
     from members m
     where m.advisor_id = $1 and m.member_id = $2
     for update`,
    [advisorId, memberId],
    'lock-member',
  );
  return row ?? null;
}

/** Locks those of these members whose texts are held, in the usual order, and returns their ids. */
export async function lockHeldMembers(db: Db, members: { advisorId: number; memberId: number }[]): Promise<number[]> {
  const rows = await db.query<{ memberId: number }>(
    `select m.member_id as "memberId"
     from (
       select distinct advisor_id, member_id
       from unnest($1::bigint[], $2::bigint[]) as g (advisor_id, member_id)
     ) as given
     join members m using (advisor_id, member_id)
     where m.held_since is not null
     order by m.advisor_id, m.phone
     for update of m`,
    [members.map(({ advisorId }) => advisorId), members.map(({ memberId }) => memberId)],
    'lock-held-members',
  );
  return rows.map(({ memberId }) => memberId);
}

/** The member with this number, whether or not a contact has it too. */
export async function findMember(db: Db, advisorId: number, phone: string): Promise<MemberRow | null> {
  const [row] = await db.query<MemberRow>(
    `select ${columns}
     from members m
     where m.advisor_id = $1 and m.phone = $2`,
    [advisorId, phone],
  );
  return row ?? null;
}

/** The member, by number or by id, if one of the advisor's contacts has its number now. */
export async function findMemberOfContact(
  db: Db,
  advisorId: number,
  by: { phone: string } | { memberId: number },
): Promise<MemberRow | null> {
  const [column, value] = 'phone' in by ? ['phone', by.phone] : ['member_id', by.memberId];
  const [row] = await db.query<MemberRow>(
    `select ${columns}
     from members m
     where m.advisor_id = $1
       and m.${column} = $2
       and exists (
         select
         from contacts c
         where c.advisor_id = m.advisor_id and c.phone = m.phone
       )`,
    [advisorId, value],
    `find-member-by-${column}`,
  );
  return row ?? null;
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
