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
export type NewStaff = Pick<StaffRow, 'firmId' | 'name' | 'email' | 'role'>;

const columns = `
  staff_id as "staffId", firm_id as "firmId", name, email, role, disabled, date_time_created as "dateTimeCreated"`;

/** The new staff member, or null if another one has the email. */
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

export async function findStaff(db: Db, idOrEmail: string): Promise<StaffRow | null> {
  return db.find<StaffRow>(
    `select ${columns}
     from staff
     where staff_id::text = $1 or lower(email) = lower($1)`,
    [idOrEmail],
  );
}

export async function listStaff(db: Db): Promise<StaffRow[]> {
  return db.query<StaffRow>(`select ${columns} from staff order by staff_id`);
}
