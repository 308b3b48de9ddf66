import type { Deps } from '../../deps.ts';
import type { NodeRow } from '../../store/operations/nodes.ts';
import * as store from '../../store/operations/nodes.ts';
import { thisNode } from '../carriers/status.ts';
import { realTimeIn } from '../shared/time.ts';

export type Node = NodeRow;

export const heartbeatEveryMs = 3_000;
const seenWithinMs = 15_000;
/** For so long, operators are told of a process that is gone without having stopped. */
const missedForMs = 60 * 60 * 1_000;
const startedAt = new Date();

/** Tells that this process is there. `halted` says why it hands no text over, or accepts none. */
export async function writeHeartbeat(
  { db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>,
  { role, halted }: Pick<NodeRow, 'role' | 'halted'>,
): Promise<void> {
  const seenAt = databaseClock.now();
  const forgetBefore = new Date(seenAt.getTime() - missedForMs);
  await store.upsertNode(db, { node: thisNode, role, startedAt, seenAt, halted }, forgetBefore);
}

export async function listNodes({ db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>): Promise<Node[]> {
  return store.listNodes(db, realTimeIn({ databaseClock }, -seenWithinMs));
}

/** Those that were killed, crashed, or can't reach the database any more. */
export async function listMissedNodes({ db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>): Promise<Node[]> {
  const nodes = await store.listNodes(db, realTimeIn({ databaseClock }, -missedForMs));
  return nodes.filter(({ seenAt }) => seenAt < realTimeIn({ databaseClock }, -seenWithinMs));
}

/** A process that stops isn't missed. */
export async function forgetNode({ db }: Pick<Deps, 'db'>): Promise<void> {
  await store.deleteNode(db, thisNode);
}
