import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import type { GroupRow, GroupSort } from '../../store/address-book/groups.ts';
import * as store from '../../store/address-book/groups.ts';
import { problem } from '../problems.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { searchText, searchWords } from '../shared/text/folding.ts';

export type Group = GroupRow;
export type GroupInput = { name: string; externalGroupId?: string | null };
export type GroupSearch = PageRequest<GroupSort> & { search?: string };

export { groupSorts } from '../../store/address-book/groups.ts';

/** Creates a group. A known `externalGroupId` returns the group that has it, so a create is safe to retry. */
export async function createGroup(
  deps: Deps,
  advisorId: number,
  { name, externalGroupId }: GroupInput,
  source: number,
): Promise<number> {
  const group = { name, externalId: externalGroupId || null, source, searchText: searchText([name]) };
  return inTransaction(deps, ({ db, clock }) => store.insertGroup(db, advisorId, group, clock.now()));
}

export async function searchGroups(
  deps: Deps,
  advisorId: number,
  { search = '', ...page }: GroupSearch,
): Promise<Page<Group>> {
  const { total, groups } = await store.listGroups(deps.db, advisorId, searchWords(search), rowsOf(page));
  return pageOf(page, total, groups);
}

/** Its contacts stay. */
export async function deleteGroup(deps: Deps, advisorId: number, groupId: number): Promise<void> {
  await inTransaction(deps, async ({ db }) => {
    await lockBook(db, advisorId);
    if (!(await store.deleteGroup(db, advisorId, groupId))) throw problem('not_found', 'There is no such group.');
  });
}
