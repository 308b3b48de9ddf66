import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import {
  type DeletedGroup,
  deleteDeletedGroup,
  deleteMemberships,
  listDeletedGroups,
} from '../../store/address-book/deleted-groups.ts';
import type { GroupRow, GroupSort } from '../../store/address-book/groups.ts';
import * as store from '../../store/address-book/groups.ts';
import { insertEvents } from '../../store/events/new-events.ts';
import { problem } from '../problems.ts';
import { inBatches } from '../shared/in-batches.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { searchText, searchWords } from '../shared/text/folding.ts';

export type Group = GroupRow;
export type GroupInput = { name: string; externalGroupId?: string | null };
export type GroupSearch = PageRequest<GroupSort> & { search?: string };

const groupsPerRun = 100;
/** Each takes about a third of a millisecond: a contact is in a dozen indexes. */
const membershipsPerStep = 200;

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

export async function renameGroup(deps: Deps, advisorId: number, groupId: number, name: string): Promise<void> {
  await inTransaction(deps, async ({ db, clock }) => {
    await lockBook(db, advisorId);
    const change = { name, searchText: searchText([name]) };
    if (!(await store.updateGroup(db, advisorId, groupId, change, clock.now()))) throw noGroup();
    await tellBook({ db, clock }, advisorId);
  });
}

/** Its contacts stay. The group is gone at once, however many they are; `clearDeletedGroups` does the rest. */
export async function deleteGroup(deps: Deps, advisorId: number, groupId: number): Promise<void> {
  await inTransaction(deps, async ({ db }) => {
    await lockBook(db, advisorId);
    if (!(await store.deleteGroup(db, advisorId, groupId))) throw noGroup();
  });
}

/** Removes the memberships of deleted groups. If a node dies in between, the next run goes on. */
export async function clearDeletedGroups(deps: Deps): Promise<void> {
  for (const group of await listDeletedGroups(deps.db, groupsPerRun))
    await inBatches(deps, (limit) => clearDeletedGroup(deps, group, limit), membershipsPerStep);
}

/** One step: it locks the book, so it is short, and other changes to the book get their turn in between. */
export async function clearDeletedGroup(
  deps: Deps,
  { advisorId, groupId }: DeletedGroup,
  limit: number,
): Promise<number> {
  return inTransaction(deps, async ({ db }) => {
    await lockBook(db, advisorId);
    const removed = await deleteMemberships(db, advisorId, { groupId, limit });
    if (removed < limit) await deleteDeletedGroup(db, advisorId, groupId);
    return removed;
  });
}

export function noGroup() {
  return problem('not_found', 'There is no such group on the advisor’s account.');
}

/** The advisor's other browsers; partners have the feed of changes. */
export async function tellBook({ db, clock }: Pick<Deps, 'db' | 'clock'>, advisorId: number): Promise<void> {
  await insertEvents(db, [{ advisorId, type: 'book.changed' }], clock.now());
}
