import type { Db } from '../database/db.ts';

export type ConsentState = 'none' | 'pending' | 'accepted' | 'opted_out';

/** A number that an advisor knows, with its consent. */
export type MemberRow = {
  memberId: number;
  phone: string;
  state: ConsentState;
  lastChanged: Date;
  decidedAt: Date | null;
  consentRequests: number;
  requestedAt: Date | null;
  requestedWording: string | null;
  requestedVersion: number | null;
  reminded: boolean;
  helpedAt: Date | null;
  lastReplyAt: Date | null;
  dateTimeCreated: Date;
};

export type MemberChange = Partial<Omit<MemberRow, 'memberId' | 'phone' | 'dateTimeCreated'>>;
export type PhoneOf = { advisorId: number; phone: string };

const columns = `
  m.member_id as "memberId", m.phone, m.state, m.last_changed as "lastChanged", m.decided_at as "decidedAt",
  m.consent_requests as "consentRequests", m.requested_at as "requestedAt",
  m.requested_wording as "requestedWording", m.requested_version as "requestedVersion", m.reminded,
  m.helped_at as "helpedAt", m.last_reply_at as "lastReplyAt", m.date_time_created as "dateTimeCreated"`;

const changeColumns: Record<keyof MemberChange, string> = {
  state: 'state',
  lastChanged: 'last_changed',
  decidedAt: 'decided_at',
  consentRequests: 'consent_requests',
  requestedAt: 'requested_at',
  requestedWording: 'requested_wording',
  requestedVersion: 'requested_version',
  reminded: 'reminded',
  helpedAt: 'helped_at',
  lastReplyAt: 'last_reply_at',
};

/** Makes members of the numbers that are none yet; in the order of numbers, so that two who do it never wait in a circle. */
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

/** The members that have these numbers, locked: nobody else changes or relies on them until the transaction ends. */
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

/** The same, of one member by id. */
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

/** The member that has this number, whether or not a contact does. */
export async function findMember(db: Db, advisorId: number, phone: string): Promise<MemberRow | null> {
  const [row] = await db.query<MemberRow>(
    `select ${columns}
     from members m
     where m.advisor_id = $1 and m.phone = $2`,
    [advisorId, phone],
  );
  return row ?? null;
}

/** The member, by number or by id, whose number a contact of the advisor's book has now. */
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

/** Asks these members for consent: pending since now, or since they were asked first. */
export async function updateRequested(
  db: Db,
  advisorId: number,
  memberIds: number[],
  { wording, version, now }: { wording: string; version: number; now: Date },
): Promise<void> {
  await db.query(
    `update members
     set last_changed = case when state = 'pending' then last_changed else $5 end,
         state = 'pending',
         consent_requests = consent_requests + 1,
         requested_at = $5,
         requested_wording = $3,
         requested_version = $4,
         reminded = false
     where advisor_id = $1 and member_id = any ($2)`,
    [advisorId, memberIds, wording, version, now],
    'update-requested',
  );
}

export async function updateMember(db: Db, advisorId: number, memberId: number, change: MemberChange): Promise<void> {
  const given = Object.entries(change) as [keyof MemberChange, unknown][];
  if (given.length === 0) return;
  await db.query(
    `update members
     set ${given.map(([name], index) => `${changeColumns[name]} = $${index + 3}`).join(', ')}
     where advisor_id = $1 and member_id = $2`,
    [advisorId, memberId, ...given.map(([, value]) => value)],
  );
}
