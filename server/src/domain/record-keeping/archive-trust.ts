import type { Deps } from '../../deps.ts';
import { findTree } from '../../store/archive/archive-tree.ts';
import { archiveSetting } from '../accounts/settings.ts';
import type { Staff } from '../accounts/staff.ts';
import { byCommand } from '../archive/archive.ts';
import { ArchiveFault, remember } from '../archive/archive-memory.ts';
import { checkCopies, findForgotten, memoryOf, rootAt } from '../archive/continuity.ts';
import { problem } from '../problems.ts';
import { isBlank } from '../shared/text/text-rules.ts';

type Act = { reason: string; staff: Staff };
type TrustResult = { size: number; root: string; forgotten: string };

/**
 * Lets a node sign again that can't know what was signed: from now on it remembers the tree as it is. The entry comes first, so
 * that nobody can do this without a trace. Copies that contradict the tree are evidence, which nobody can overrule.
 */
export async function trustTree(deps: Deps, { reason, staff }: Act): Promise<TrustResult> {
  const { archiveMemory, signer } = deps;
  if (!archiveMemory || !signer) throw problem('conflict', 'This node has no key of the archive: it signs nothing.');
  if (isBlank(reason))
    throw problem('invalid_request', 'A reason is needed: what became of the memory and the copies.');
  if (staff.disabled) throw problem('forbidden', `${staff.name} is disabled.`);
  const forgotten = await findForgotten(deps);
  if (!forgotten) throw problem('conflict', 'This node knows what was signed: there is nothing to confirm.');
  const tree = await readSound(deps);
  const root = tree.root.toString('base64');
  await archiveSetting(deps, byCommand(staff.staffId), {
    what: 'archive trusted',
    of: { size: tree.size, root },
    values: { reason, forgotten },
  });
  await remember(deps, memoryOf(signer, tree));
  return { size: tree.size, root, forgotten };
}

/** The tree, if its hashes are those of its root, and it begins with all copies that there are. */
async function readSound(deps: Deps): Promise<{ size: number; root: Buffer }> {
  try {
    await checkCopies(deps);
    const tree = await findTree(deps.db);
    if (!(await rootAt(deps, tree.size)).equals(tree.root))
      throw new ArchiveFault('The stored hashes don’t match the root of the tree.');
    return tree;
  } catch (cause) {
    throw cause instanceof ArchiveFault ? problem('conflict', cause.message, { cause }) : cause;
  }
}
