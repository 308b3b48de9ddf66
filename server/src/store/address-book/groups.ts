import type { Db } from '../database/db.ts';
import { recordChange } from './contact-books.ts';
import { beginsWord } from './contact-search.ts';

export type GroupRow = {
  groupId: number;
  externalId: string | null;
  name: string;
  source: number;
  contactCount: number;
  dateTimeCreated: Date;
  dateTimeModified: Date;
};
type NewGroup = { name: string; externalId: string | null; source: number; searchText: string };
export type GroupSort = keyof typeof sortColumns;
export type GroupPage = { sortBy: GroupSort; descending: boolean; offset: bigint; limit: number };

const sortColumns = {
  name: 'name',
  dateTimeCreated: 'date_time_created',
  dateTimeModified: 'date_time_modified',
  contactCount: 'contact_count',
} as const;
export const groupSorts = Object.keys(sortColumns) as GroupSort[];

/** Returns the new group's id, or the id of the group that already has the external id, even if two requests race. */
export async function insertGroup(db: Db, advisorId: number, group: NewGroup, now: Date): Promise<number> {
  const { groupId } = await db.one<{ groupId: number }>(
    `insert into groups (advisor_id, name, external_id, source, search_text, date_time_created, date_time_modified)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (advisor_id, external_id) do update
     set external_id = excluded.external_id
     returning group_id as "groupId"`,
    [advisorId, group.name, group.externalId, group.source, group.searchText, now],
    'insert-group',
  );
  return groupId;
}

export async function listGroups(
  db: Db,
  advisorId: number,
  words: string[],
  page: GroupPage,
): Promise<{ total: number; groups: GroupRow[] }> {
  const direction = page.descending ? 'desc' : 'asc';
  const rows = await db.query<{ total: number } & GroupRow>(
    `with matched as materialized (
       select *
       from groups
       where advisor_id = $1 and search_text like all ($4)
     )
     select
       totals.total, group_id as "groupId", external_id as "externalId", name, source,
       contact_count as "contactCount", date_time_created as "dateTimeCreated", date_time_modified as "dateTimeModified"
     from (select count(*) as total from matched) as totals
     left join (
       select *
       from matched
       order by ${sortColumns[page.sortBy]} ${direction}, group_id
       offset $2
       limit $3
     ) as page on true
     order by ${sortColumns[page.sortBy]} ${direction}, group_id`,
    [advisorId, page.offset, page.limit, words.map(beginsWord)],
  );
  const groups = rows.filter((row) => row.groupId !== null);
  return { total: rows[0]?.total ?? 0, groups };
}

/** Which of these ids are the advisor's groups; without ids, all of their groups. */
export async function listGroupIds(db: Db, advisorId: number, among?: number[]): Promise<number[]> {
  const rows = await db.query<{ groupId: number }>(
    `select group_id as "groupId"
     from groups
     where advisor_id = $1 and ($2::bigint[] is null or group_id = any ($2))
     order by group_id`,
    [advisorId, among ?? null],
  );
  return rows.map((row) => row.groupId);
}

/**
 * Makes the contact a member of exactly these groups. Counts and times change only where a membership does. What is left
 * of deleted groups goes too, and changes no time: nobody could see it.
 */
export async function replaceMemberships(
  db: Db,
  advisorId: number,
  contactId: number,
  groupIds: number[],
  now: Date,
): Promise<void> {
  const rows = await db.query<{ contactId: number; isChanged: boolean }>(
    `with left_groups as (
       delete from memberships
       where advisor_id = $1 and contact_id = $2 and group_id <> all ($3)
       returning group_id
     ),
     joined_groups as (
       insert into memberships (advisor_id, contact_id, group_id)
       select $1, $2, wanted
       from unnest($3::bigint[]) as wanted
       on conflict do nothing
       returning group_id
     ),
     changed as (
       select group_id, -1 as change from left_groups
       union all
       select group_id, 1 from joined_groups
     ),
     counted as (
       update groups
       set contact_count = contact_count + change, date_time_modified = $4
       from changed
       where advisor_id = $1 and groups.group_id = changed.group_id
       returning groups.group_id
     )
     update contacts
     set group_count = cardinality($3::bigint[]),
         date_time_modified = case when exists (select from counted) then $4 else date_time_modified end
     where advisor_id = $1 and contact_id = $2 and exists (select from changed)
     returning contact_id as "contactId", exists (select from counted) as "isChanged"`,
    [advisorId, contactId, groupIds, now],
    'replace-memberships',
  );
  const contactIds = rows.filter(({ isChanged }) => isChanged).map((row) => row.contactId);
  await recordChange(db, advisorId, { change: 'updated', contactIds, emails: 0, dateTime: now });
}

export async function updateGroup(
  db: Db,
  advisorId: number,
  groupId: number,
  { name, searchText }: Pick<NewGroup, 'name' | 'searchText'>,
  now: Date,
): Promise<boolean> {
  return db.has(
    `update groups
     set name = $3, search_text = $4, date_time_modified = $5
     where advisor_id = $1 and group_id = $2
     returning 1`,
    [advisorId, groupId, name, searchText, now],
  );
}

/** Takes these contacts out of the group, and returns how many were in it. The book is locked. */
export async function deleteMembers(
  db: Db,
  advisorId: number,
  groupId: number,
  contactIds: number[],
  now: Date,
): Promise<number> {
  const rows = await db.query<{ contactId: number }>(
    `with left_contacts as (
       delete from memberships
       where advisor_id = $1 and group_id = $2 and contact_id = any ($3)
       returning contact_id
     ),
     counted as (
       update groups
       set contact_count = contact_count - (select count(*) from left_contacts), date_time_modified = $4
       where advisor_id = $1 and group_id = $2 and exists (select from left_contacts)
     )
     update contacts
     set group_count = group_count - 1, date_time_modified = $4
     where advisor_id = $1 and contact_id in (select contact_id from left_contacts)
     returning contact_id as "contactId"`,
    [advisorId, groupId, contactIds, now],
  );
  const left = rows.map((row) => row.contactId);
  await recordChange(db, advisorId, { change: 'updated', contactIds: left, emails: 0, dateTime: now });
  return left.length;
}

/** Deletes the group for every reader. Its memberships no longer count, and are removed later (deleted-groups.ts). */
export async function deleteGroup(db: Db, advisorId: number, groupId: number): Promise<boolean> {
  return db.has(
    `with gone as (
       delete from groups
       where advisor_id = $1 and group_id = $2
       returning advisor_id, group_id
     )
     insert into deleted_groups (advisor_id, group_id)
     select advisor_id, group_id
     from gone
     returning group_id`,
    [advisorId, groupId],
  );
}
