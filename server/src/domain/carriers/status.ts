import { hostname } from 'node:os';
import type { Deps } from '../../deps.ts';
import { countTexts, listStatus, upsertStatus } from '../../store/carriers/carrier-status.ts';
import { listCarriers } from '../../store/carriers/carriers.ts';
import type { CarrierStatus } from '../ports.ts';

/** How a carrier does on one node. */
export type NodeStatus = {
  name: string;
  /** Why it can't be opened. */
  lastFault: string | null;
  /** Texts that were handed over and have no answer yet. */
  inFlight: number;
  /** Replies to numbers that this carrier doesn't have. */
  strays: number;
  /** What the carrier itself counts since the node opened it; null if it counts nothing. */
  carrier: CarrierStatus | null;
};

/** How a carrier does on all nodes that wrote lately, and what waits for it. */
export type CarrierOverview = {
  carrierId: number;
  name: string;
  kind: string;
  disabled: boolean;
  waiting: number;
  inDoubt: number;
  nodes: (NodeStatus & { node: string })[];
};

/** This process, among all of the deployment. */
export const thisNode = `${hostname()}/${process.pid}`;
/** A node that wrote nothing for so long is gone. */
const nodeMaxAgeMs = 30_000;

/** Tells everybody how this node's carriers do. */
export async function writeStatus(
  { db }: Pick<Deps, 'db'>,
  statuses: { carrierId: number; status: NodeStatus }[],
): Promise<void> {
  const now = new Date();
  await upsertStatus(db, thisNode, statuses, { now, forgetBefore: new Date(now.getTime() - nodeMaxAgeMs) });
}

export async function readStatus({ db }: Pick<Deps, 'db'>): Promise<CarrierOverview[]> {
  const rows = await listStatus<NodeStatus>(db, new Date(Date.now() - nodeMaxAgeMs));
  const texts = new Map((await countTexts(db)).map((each) => [each.carrierId, each]));
  return (await listCarriers(db)).map(({ carrierId, name, kind, disabled }) => ({
    carrierId,
    name,
    kind,
    disabled,
    waiting: texts.get(carrierId)?.waiting ?? 0,
    inDoubt: texts.get(carrierId)?.inDoubt ?? 0,
    nodes: rows.filter((row) => row.carrierId === carrierId).map(({ node, status }) => ({ node, ...status })),
  }));
}
