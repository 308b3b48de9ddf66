import type { Db } from '../database/db.ts';

export type StaffRow = {
  staffId: number;
  firmId: number;
  name: string;
  email: string;
  disabled: boolean;
  dateTimeCreated: Date;
};
export type NewStaff = Pick<StaffRow, 'firmId' | 'name' | 'email'>;

const columns = `
  staff_id as "staffId", firm_id as "firmId", name, email, disabled, date_time_created as "dateTimeCreated"`;

/** The new staff member, or null if another one has the email. */
export async function insertStaff(db: Db, { firmId, name, email }: NewStaff, now: Date): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>(
    `insert into staff (firm_id, name, email, date_time_created)
     values ($1, $2, $3, $4)
     on conflict do nothing
     returning ${columns}`,
    [firmId, name, email, now],
  );
  return row ?? null;
}

/** The staff member after the change; null if nothing changed. */
export async function updateStaff(
  db: Db,
  staffId: number,
  { disabled }: { disabled: boolean },
): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>(
    `update staff
     set disabled = $2
     where staff_id = $1 and disabled <> $2
     returning ${columns}`,
    [staffId, disabled],
  );
  return row ?? null;
}

export async function findStaff(db: Db, idOrEmail: string): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>(
    `select ${columns}
     from staff
     where staff_id::text = $1 or lower(email) = lower($1)`,
    [idOrEmail],
  );
  return row ?? null;
}

export async function listStaff(db: Db): Promise<StaffRow[]> {
  return db.query<StaffRow>(`select ${columns} from staff order by staff_id`);
}
