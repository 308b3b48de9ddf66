import type { Deps } from '../../deps.ts';
import type { NodeRow } from '../../store/operations/nodes.ts';
import * as store from '../../store/operations/nodes.ts';
import { thisNode } from '../carriers/status.ts';

export type Node = NodeRow;

export const heartbeatEveryMs = 3_000;
const seenWithinMs = 15_000;
/** For so long, operators are told of a process that is gone without having stopped. */
const missedForMs = 60 * 60 * 1_000;
const startedAt = new Date();

/** Tells that this process is there. `halted` says why it hands no text over, if it is there for that. */
export async function writeHeartbeat(
  { db }: Pick<Deps, 'db'>,
  { role, halted }: Pick<NodeRow, 'role' | 'halted'>,
): Promise<void> {
  const seenAt = new Date();
  const forgetBefore = new Date(seenAt.getTime() - missedForMs);
  await store.upsertNode(db, { node: thisNode, role, startedAt, seenAt, halted }, forgetBefore);
}

export async function listNodes({ db }: Pick<Deps, 'db'>): Promise<Node[]> {
  return store.listNodes(db, new Date(Date.now() - seenWithinMs));
}

/** Those that were killed, crashed, or can't reach the database any more. */
export async function listMissedNodes({ db }: Pick<Deps, 'db'>): Promise<Node[]> {
  const now = Date.now();
  const nodes = await store.listNodes(db, new Date(now - missedForMs));
  return nodes.filter(({ seenAt }) => seenAt.getTime() < now - seenWithinMs);
}

/** A process that stops isn't missed. */
export async function forgetNode({ db }: Pick<Deps, 'db'>): Promise<void> {
  await store.deleteNode(db, thisNode);
}
