import { randomInt } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { Transaction } from '../../store/database/db.ts';
import type { PendingAction, PendingKind } from '../../store/shared/pending-actions.ts';
import * as store from '../../store/shared/pending-actions.ts';
import { problem } from '../problems.ts';
import { realTimeIn } from './time.ts';

/** How long somebody can undo what they decided in one of our pages. */
export const undoMs = 8_000;
/** Ids are random: knowing one's own says nothing about anybody else's. */
const actionIdMax = 2 ** 48 - 1;
const againMs = 60_000;
const actionsPerRun = 100;

/** How an action is done, in the transaction that takes it out of those that wait. */
export type Act = (
  deps: Deps & { readonly db: Transaction },
  advisorId: number,
  targetIds: number[],
  detail: string | null,
) => Promise<void>;

/**
 * Does this in eight seconds, unless it is undone: whatever becomes of the page, and of this node. The seconds are of the real
 * clock, because they are for a person who reads a button. A sandbox whose clock is moved a day ahead would take the button away.
 */
export async function holdAction(
  deps: Pick<Deps, 'db' | 'databaseClock'>,
  advisorId: number,
  action: PendingAction,
): Promise<number> {
  const actionId = randomInt(actionIdMax);
  await store.insertPendingAction(deps.db, advisorId, { actionId, ...action }, realTimeIn(deps, undoMs));
  return actionId;
}

/** Of one of these kinds: what an advisor may take back is not what was decided about them. */
export async function undoAction(
  { db }: Pick<Deps, 'db'>,
  advisorId: number,
  actionId: number,
  kinds: PendingKind[],
): Promise<void> {
  if (!(await store.deletePendingAction(db, advisorId, actionId, kinds)))
    throw problem('not_found', 'It is too late to undo this: it has been done.');
}

/** Those of these kinds, each once, whichever node takes it. One that fails is left for later, so that it doesn't hold up the others. */
export async function doDueActions(
  deps: Deps,
  acts: Partial<Record<PendingKind, Act>>,
  report: (fault: unknown) => void,
): Promise<void> {
  for (const { advisorId, actionId } of await store.listDueActions(
    deps.db,
    Object.keys(acts),
    deps.databaseClock.now(),
    actionsPerRun,
  ))
    try {
      await inTransaction(deps, async (deps) => {
        const action = await store.deletePendingAction(
          deps.db,
          advisorId,
          actionId,
          Object.keys(acts) as PendingKind[],
        );
        if (!action) return;
        const act = acts[action.kind];
        if (!act) throw new Error(`There is no handler for the pending action ${action.kind}.`);
        await act(deps, advisorId, action.targetIds, action.detail ?? null);
      });
    } catch (error) {
      report(error);
      await store.updatePendingAction(deps.db, advisorId, actionId, realTimeIn(deps, againMs));
    }
}
