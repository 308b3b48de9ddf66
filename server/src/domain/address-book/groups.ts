import type { Deps } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contacts.ts';
import type { GroupRow, GroupSort } from '../../store/address-book/groups.ts';
import * as store from '../../store/address-book/groups.ts';
import { problem } from '../problems.ts';
import { searchText, searchWords } from '../shared/folding.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';

export type Group = GroupRow;
export type GroupInput = { name: string; externalGroupId?: string | null };
export type GroupSearch = PageRequest<GroupSort> & { search?: string };

export { groupSorts } from '../../store/address-book/groups.ts';

/** A new group; an `externalGroupId` that is known returns the group that has it, so that a create is safe to repeat. */
export async function createGroup(
  deps: Deps,
  advisorId: number,
  { name, externalGroupId }: GroupInput,
  source: number,
): Promise<number> {
  const group = { name, externalId: externalGroupId || null, source, searchText: searchText([name]) };
  return deps.db.transaction((db) => store.insertGroup(db, advisorId, group, deps.clock.now()));
}

export async function searchGroups(
  deps: Deps,
  advisorId: number,
  { search = '', ...page }: GroupSearch,
): Promise<Page<Group>> {
  const { total, groups } = await store.listGroups(deps.db, advisorId, searchWords(search), rowsOf(page));
  return pageOf(page, total, groups);
}

/** Its members stay. */
export async function deleteGroup(deps: Deps, advisorId: number, groupId: number): Promise<void> {
  await deps.db.transaction(async (db) => {
    await lockBook(db, advisorId);
    if (!(await store.deleteGroup(db, advisorId, groupId, deps.clock.now())))
      throw problem('not_found', 'There is no such group.');
  });
}
