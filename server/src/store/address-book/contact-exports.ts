import type { Db } from '../database/db.ts';
import { type ContactFilter, conditionsOf } from './contact-search.ts';
import { type ContactRow, contactColumns } from './contacts.ts';

export type ExportedRow = ContactRow & { groups: string[] };

/** Contacts with a higher id, ordered by id: an export walks a book of any size this way. */
export async function listExportedContacts(
  db: Db,
  advisorId: number,
  filter: ContactFilter,
  { after, limit }: { after: number; limit: number },
): Promise<ExportedRow[]> {
  const values: unknown[] = [advisorId, after, limit];
  const conditions = ['c.advisor_id = $1', 'c.contact_id > $2', ...conditionsOf(filter, values)];
  return db.query<ExportedRow>(
    `select ${contactColumns},
       case when c.group_count = 0 then '[]' else (
         select coalesce(jsonb_agg(g.name order by g.name, g.group_id), '[]')
         from memberships m
         join groups g on g.advisor_id = m.advisor_id and g.group_id = m.group_id
         where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
       ) end as groups
     from contacts c
     where ${conditions.join(' and ')}
     order by c.contact_id
     limit $3`,
    values,
  );
}
