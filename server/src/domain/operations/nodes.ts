import type { Deps } from '../../deps.ts';
import type { NodeRow } from '../../store/operations/nodes.ts';
import * as store from '../../store/operations/nodes.ts';
import { thisNode } from '../carriers/status.ts';

export type Node = NodeRow;

export const tellNodeEveryMs = 3_000;
const seenWithinMs = 15_000;
const startedAt = new Date();

/** Tells that this process is there. `halted` says why it hands no text over, if it is there for that. */
export async function tellNode(
  { db }: Pick<Deps, 'db'>,
  { role, halted }: Pick<NodeRow, 'role' | 'halted'>,
): Promise<void> {
  const seenAt = new Date();
  const forgetBefore = new Date(seenAt.getTime() - 4 * seenWithinMs);
  await store.upsertNode(db, { node: thisNode, role, startedAt, seenAt, halted }, forgetBefore);
}

export async function listNodes({ db }: Pick<Deps, 'db'>): Promise<Node[]> {
  return store.listNodes(db, new Date(Date.now() - seenWithinMs));
}
