import type { Deps } from '../../deps.ts';
import { type GroupName, listGroupNames } from '../../store/address-book/contact-imports.ts';
import type { FileGroup } from '../ports.ts';
import { numberOf } from '../shared/enumerations.ts';
import { createGroup } from './groups.ts';

/**
 * Finds the book's groups for those of a file, and creates those that are missing. A group of an export is the one with the same
 * external id, or with the same id and name. Otherwise a group is the oldest one of its name. Two groups of an export that have one
 * name stay two.
 */
export function findGroups(deps: Deps, advisorId: number, { dryRun }: { dryRun: boolean }) {
  const found = new Map<string, number | null>();
  const taken = new Set<number>();
  let inBook: GroupName[] | undefined;
  let created = 0;

  async function find(group: FileGroup): Promise<number | null> {
    inBook ??= await listGroupNames(deps.db, advisorId);
    const known = match(inBook, group, taken);
    const groupId = known?.groupId ?? (await create(group));
    // A group without an id is whichever has the name, so it takes none away.
    if (groupId !== null && group.groupId !== null) taken.add(groupId);
    return groupId;
  }

  async function create({ name, externalId }: FileGroup): Promise<number | null> {
    created += 1;
    if (dryRun) return null;
    const groupId = await createGroup(
      deps,
      advisorId,
      { name, externalGroupId: externalId },
      numberOf('source', 'Import'),
    );
    inBook?.push({ groupId, externalId, name });
    return groupId;
  }

  return {
    created: () => created,
    /** For each group its id; null in a dry run, if it would be created. */
    async find(groups: FileGroup[]): Promise<(number | null)[]> {
      const groupIds: (number | null)[] = [];
      for (const group of groups) {
        const key = `${group.groupId ?? ''} ${group.name}`;
        if (!found.has(key)) found.set(key, await find(group));
        groupIds.push(found.get(key) ?? null);
      }
      return groupIds;
    },
  };
}

function match(inBook: GroupName[], wanted: FileGroup, taken: Set<number>): GroupName | undefined {
  const { name, groupId, externalId } = wanted;
  return (
    inBook.find((group) => externalId !== null && group.externalId === externalId) ??
    inBook.find((group) => group.groupId === groupId && group.name === name) ??
    inBook.find((group) => group.name === name && (groupId === null || !taken.has(group.groupId)))
  );
}
