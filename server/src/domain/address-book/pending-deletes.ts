import { type Deps, inTransaction } from '../../deps.ts';
import { listActions, type PendingKind } from '../../store/shared/pending-actions.ts';
import { Problem, problem } from '../problems.ts';
import { type Act, holdAction, undoAction } from '../shared/pending-actions.ts';
import { deleteContact } from './contacts.ts';
import { deleteGroup, tellBook } from './groups.ts';

/** How many contacts can be selected and deleted at a time. */
export const selectedMax = 1_000;
/** How many deletes can wait until they can’t be undone any more: all advisors’ are done by one job. */
const waitingMax = 20;
const deleteKinds: PendingKind[] = ['delete_contacts', 'delete_group'];

/**
 * Deletes these contacts, or this group, once they can't be undone any more. Until then only the app's own lists are without
 * them: partners see neither a delete that was undone nor a contact with a new id.
 */
export function deleteLater(
  deps: Deps,
  advisorId: number,
  what: { contactIds: number[] } | { groupId: number },
): Promise<number> {
  const action =
    'groupId' in what
      ? { kind: 'delete_group' as const, targetIds: [what.groupId] }
      : { kind: 'delete_contacts' as const, targetIds: [...new Set(what.contactIds)] };
  return inTransaction(deps, async (deps) => {
    const waiting = await listActions(deps.db, advisorId, deleteKinds);
    const targets = waiting.reduce((sum, { targetIds }) => sum + targetIds.length, action.targetIds.length);
    if (waiting.length >= waitingMax || targets > 2 * selectedMax)
      throw problem('conflict', 'Much is about to be deleted already. Wait a few seconds.');
    const actionId = await holdAction(deps, advisorId, action);
    await tellBook(deps, advisorId);
    return actionId;
  });
}

type WaitingDelete = { actionId: number; contacts: number | null; leftMs: number };

/** What can still be undone: a page that was loaded again offers it again. `contacts` is null for a group. */
export async function listDeletes({ db, databaseClock }: Deps, advisorId: number): Promise<WaitingDelete[]> {
  const waiting = await listActions(db, advisorId, deleteKinds);
  return waiting
    .map(({ actionId, kind, targetIds, dueAt }) => ({
      actionId,
      contacts: kind === 'delete_group' ? null : targetIds.length,
      leftMs: dueAt.getTime() - databaseClock.now().getTime(),
    }))
    .filter(({ leftMs }) => leftMs > 0);
}

export async function undoDelete(deps: Deps, advisorId: number, actionId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    await undoAction(deps, advisorId, actionId, deleteKinds);
    await tellBook(deps, advisorId);
  });
}

/** By the same functions as a partner's DELETE. */
export const deletes: { delete_contacts: Act; delete_group: Act } = {
  async delete_contacts(deps, advisorId, contactIds) {
    for (const contactId of contactIds) await deleteContact(deps, advisorId, contactId).catch(unlessGone);
    await tellBook(deps, advisorId);
  },
  async delete_group(deps, advisorId, [groupId = -1]) {
    await deleteGroup(deps, advisorId, groupId).catch(unlessGone);
    await tellBook(deps, advisorId);
  },
};

/** Somebody else may have deleted it in the meantime. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error;
}
