import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';

export type PendingKind = 'delete_contacts' | 'delete_group' | 'decide_review';
/** `detail` is what is done and by whom, where the kind doesn't say. */
export type PendingAction = { kind: PendingKind; targetIds: number[]; detail?: string | null };
type DueAction = { advisorId: number; actionId: number };

/** It can be undone by its id. */
export async function insertPendingAction(
  db: Db,
  advisorId: number,
  { actionId, kind, targetIds, detail = null }: PendingAction & { actionId: number },
  dueAt: Date,
): Promise<void> {
  await db.query(
    `insert into pending_actions (advisor_id, action_id, kind, target_ids, detail, due_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [advisorId, actionId, kind, targetIds, detail, dueAt],
  );
}

/** Whoever deletes it owns it: the one who undoes it, or the one node that does it. Null if it is gone. */
export async function deletePendingAction(
  db: Db,
  advisorId: number,
  actionId: number,
  kinds: PendingKind[],
): Promise<PendingAction | null> {
  return db.find<PendingAction>(
    `delete from pending_actions
     where advisor_id = $1 and action_id = $2 and kind = any ($3)
     returning kind, target_ids::double precision[] as "targetIds", detail`,
    [advisorId, actionId, kinds],
  );
}

/** Tries it again later, after those that are due now. */
export async function updatePendingAction(db: Db, advisorId: number, actionId: number, dueAt: Date): Promise<void> {
  await db.query('update pending_actions set due_at = $3 where advisor_id = $1 and action_id = $2', [
    advisorId,
    actionId,
    dueAt,
  ]);
}

/** Spans advisors: a job does what is due for everybody. */
export async function listDueActions(db: Db, kinds: string[], realNow: Date, limit: number): Promise<DueAction[]> {
  return forAllAdvisors(db, (db) =>
    db.query<DueAction>(
      `select advisor_id as "advisorId", action_id as "actionId"
       from pending_actions
       where kind = any ($1) and due_at <= $2
       order by due_at
       limit $3`,
      [kinds, realNow, limit],
      'list-due-actions',
    ),
  );
}

export async function listActions(db: Db, advisorId: number, kinds: PendingKind[]) {
  return db.query<PendingAction & { actionId: number; dueAt: Date }>(
    `select action_id as "actionId", kind, target_ids::double precision[] as "targetIds", due_at as "dueAt"
     from pending_actions
     where advisor_id = $1 and kind = any ($2)
     order by due_at`,
    [advisorId, kinds],
  );
}

/** What is about to be changed, and is shown as if it were already. */
export async function listPendingTargets(db: Db, advisorId: number, kind: PendingKind): Promise<number[]> {
  const rows = await db.query<{ targetId: number }>(
    `select unnest(target_ids) as "targetId"
     from pending_actions
     where advisor_id = $1 and kind = $2`,
    [advisorId, kind],
    'list-pending-targets',
  );
  return rows.map(({ targetId }) => targetId);
}

type WaitingAction = DueAction & { targetId: number; detail: string; dueAt: Date };

/** Actions of this kind that can still be undone, each of one target. Spans advisors: reviewers decide for a whole firm. */
export async function listWaitingActions(db: Db, kind: PendingKind): Promise<WaitingAction[]> {
  return forAllAdvisors(db, (db) =>
    db.query<WaitingAction>(
      `select
         advisor_id as "advisorId", action_id as "actionId", target_ids[1] as "targetId", detail, due_at as "dueAt"
       from pending_actions
       where kind = $1`,
      [kind],
      'list-waiting-actions',
    ),
  );
}

export async function findWaitingAction(
  db: Db,
  advisorId: number,
  kind: PendingKind,
  targetId: number,
): Promise<WaitingAction | null> {
  return db.find<WaitingAction>(
    `select
       advisor_id as "advisorId", action_id as "actionId", target_ids[1] as "targetId", detail, due_at as "dueAt"
     from pending_actions
     where advisor_id = $1 and kind = $2 and target_ids = array[$3::bigint]`,
    [advisorId, kind, targetId],
  );
}
