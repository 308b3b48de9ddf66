import type { Db } from '../database/db.ts';

/** Numbers that more than one contact in the book has. */
export async function listSharedPhones(
  db: Db,
  advisorId: number,
  limit: number,
): Promise<{ phone: string; contactIds: number[]; names: string[] }[]> {
  return db.query(
    `select phone, array_agg(contact_id::double precision order by contact_id) as "contactIds",
       array_agg(full_name order by contact_id) as names
     from contacts
     where advisor_id = $1 and phone is not null
     group by phone
     having count(*) > 1
     order by phone
     limit $2`,
    [advisorId, limit],
  );
}
