import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';

export type DeletedGroup = { advisorId: number; groupId: number };

/** Spans advisors: a job clears them for everybody. */
export async function listDeletedGroups(db: Db, limit: number): Promise<DeletedGroup[]> {
  const groups = await forAllAdvisors(db, (db) =>
    db.query<DeletedGroup>(
      `select advisor_id as "advisorId", group_id as "groupId"
       from deleted_groups
       order by advisor_id, group_id
       limit $1`,
      [limit],
      'list-deleted-groups',
    ),
  );
  return groups.slice(0, limit);
}

/**
 * Removes up to `limit` memberships of a deleted group, with their part of each contact's count. That is no change of the
 * contacts: nobody could see it. Returns how many.
 */
export async function deleteMemberships(
  db: Db,
  advisorId: number,
  { groupId, limit }: { groupId: number; limit: number },
): Promise<number> {
  const found = await db.value<number>(
    `with left_contacts as (
       delete from memberships
       where advisor_id = $1 and group_id = $2 and contact_id in (
         select contact_id
         from memberships
         where advisor_id = $1 and group_id = $2
         order by contact_id
         limit $3
       )
       returning contact_id
     ),
     counted as (
       update contacts
       set group_count = group_count - 1
       where advisor_id = $1 and contact_id in (select contact_id from left_contacts)
     )
     select count(*) as removed
     from left_contacts`,
    [advisorId, groupId, limit],
    'delete-memberships',
  );
  return found ?? 0;
}

/** Once it has no memberships left. */
export async function deleteDeletedGroup(db: Db, advisorId: number, groupId: number): Promise<void> {
  await db.query('delete from deleted_groups where advisor_id = $1 and group_id = $2', [advisorId, groupId]);
}
