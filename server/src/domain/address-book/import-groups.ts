import type { Deps } from '../../deps.ts';
import { listGroupNames } from '../../store/address-book/contact-imports.ts';
import { numberOf } from '../shared/enumerations.ts';
import { createGroup } from './groups.ts';

/** Finds the book's groups for those of a file by name, the oldest one of several, and creates those that are missing. */
export function findGroups(deps: Deps, advisorId: number, { dryRun }: { dryRun: boolean }) {
  let inBook: Map<string, number | null> | undefined;
  let created = 0;

  async function create(name: string): Promise<number | null> {
    created += 1;
    if (dryRun) return null;
    return createGroup(deps, advisorId, { name, externalGroupId: null }, numberOf('source', 'Import'));
  }

  return {
    created: () => created,
    /** For each group its id; null in a dry run, if it would be created. */
    async find(names: string[]): Promise<(number | null)[]> {
      inBook ??= new Map((await listGroupNames(deps.db, advisorId)).map(({ name, groupId }) => [name, groupId]));
      const groupIds: (number | null)[] = [];
      for (const name of names) {
        if (!inBook.has(name)) inBook.set(name, await create(name));
        groupIds.push(inBook.get(name) ?? null);
      }
      return groupIds;
    },
  };
}
