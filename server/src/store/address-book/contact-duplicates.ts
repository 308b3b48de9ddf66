import type { Db } from '../database/db.ts';
import type { ContactFields } from './contacts.ts';

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

/** Which of these people are already in the book, with the same name, email and phone. */
export async function listSameContacts(
  db: Db,
  advisorId: number,
  people: Pick<ContactFields, 'firstName' | 'lastName' | 'emailAddress' | 'phone'>[],
): Promise<{ position: number; contactId: number }[]> {
  return db.query(
    `select p.position::integer as position, min(c.contact_id) as "contactId"
     from rows from (
       jsonb_to_recordset($2) as ("firstName" text, "lastName" text, "emailAddress" text, phone text)
     ) with ordinality as p ("firstName", "lastName", "emailAddress", phone, position)
     join contacts c
       on c.advisor_id = $1
       and c.full_name = "firstName" || ' ' || "lastName"
       and c.first_name = "firstName"
       and c.last_name = "lastName"
       and c.email_address is not distinct from "emailAddress"
       and c.phone is not distinct from p.phone
     group by p.position`,
    [advisorId, JSON.stringify(people)],
  );
}
