import type { Db } from '../database/db.ts';

export type StaffRole = 'reviewer' | 'compliance_officer' | 'operator';
export type StaffRow = {
  staffId: number;
  /** Null for operators. */
  firmId: number | null;
  name: string;
  email: string;
  role: StaffRole;
  disabled: boolean;
  dateTimeCreated: Date;
};
/** With a passkey, they have signed in. */
export type ListedStaffRow = StaffRow & { hasPasskey: boolean };
export type NewStaff = Pick<StaffRow, 'firmId' | 'name' | 'email' | 'role'>;

const columns = `
  staff_id as "staffId", firm_id as "firmId", name, email, role, disabled, date_time_created as "dateTimeCreated"`;

/** The new staff member, or null if another one of the firm has the email. */
export async function insertStaff(
  db: Db,
  { firmId, name, email, role }: NewStaff,
  now: Date,
): Promise<StaffRow | null> {
  return db.find<StaffRow>(
    `insert into staff (firm_id, name, email, role, date_time_created)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing
     returning ${columns}`,
    [firmId, name, email, role, now],
  );
}

/** The staff member after the change; null if nothing changed. */
export async function updateStaff(
  db: Db,
  staffId: number,
  { disabled = null, role = null }: { disabled?: boolean | null; role?: StaffRole | null },
): Promise<StaffRow | null> {
  return db.find<StaffRow>(
    `update staff
     set disabled = coalesce($2, disabled), role = coalesce($3, role)
     where staff_id = $1 and (disabled <> $2 or role <> $3)
     returning ${columns}`,
    [staffId, disabled, role],
  );
}

/** The operators who can sign in. Until the transaction ends, they stay so. */
export async function lockOperators(db: Db): Promise<number[]> {
  const rows = await db.query<{ staffId: number }>(
    `select staff_id as "staffId"
     from staff
     where role = 'operator' and not disabled
     order by staff_id
     for no key update`,
  );
  return rows.map(({ staffId }) => staffId);
}

/** Makes changes to how one of the staff signs in take turns. False if they are disabled. */
export async function lockStaff(db: Db, staffId: number): Promise<boolean> {
  return db.has('select from staff where staff_id = $1 and not disabled for no key update', [staffId]);
}

export async function updateReinvited(db: Db, staffId: number, now: Date): Promise<void> {
  await db.query('update staff set date_time_reinvited = $2 where staff_id = $1', [staffId, now]);
}

/** The staff of a firm for whom a link that replaces their passkeys was made since then. */
export async function listReinvited(db: Db, firmId: number, since: Date) {
  return db.query<{ name: string; dateTime: Date }>(
    `select name, date_time_reinvited as "dateTime"
     from staff
     where firm_id = $1 and date_time_reinvited > $2
     order by staff_id`,
    [firmId, since],
  );
}

/** The addresses of those who are told what happens to somebody's account: the firm's other officers, or the other operators. */
export async function listOverseers(
  db: Db,
  { staffId, firmId }: Pick<StaffRow, 'staffId' | 'firmId'>,
): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email
     from staff
     where firm_id is not distinct from $1 and staff_id <> $2 and role <> 'reviewer' and not disabled
     order by staff_id`,
    [firmId, staffId],
  );
  return rows.map(({ email }) => email);
}

/** One has the id; several may have the email, of different firms. */
export async function findStaff(db: Db, idOrEmail: string): Promise<StaffRow[]> {
  return db.query<StaffRow>(
    `select ${columns}
     from staff
     where staff_id::text = $1 or lower(email) = lower($1)
     order by staff_id`,
    [idOrEmail],
  );
}

export async function listStaff(db: Db): Promise<ListedStaffRow[]> {
  return db.query<ListedStaffRow>(
    `select ${columns}, exists (select from passkeys p where p.staff_id = staff.staff_id) as "hasPasskey"
     from staff
     order by staff_id`,
  );
}
