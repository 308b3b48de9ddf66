import { hostname } from 'node:os';
import type { Deps } from '../../deps.ts';
import { countTexts, deleteStatus, listStatus, upsertStatus } from '../../store/carriers/carrier-status.ts';
import { listCarriers } from '../../store/carriers/carriers.ts';
import type { CallCounts, CarrierStatus, OpenCarrier } from '../ports.ts';
import { realTimeIn } from '../shared/time.ts';

export type NodeStatus = {
  name: string;
  lastFault: string | null;
  /** Texts that were handed over and have no response yet. */
  inFlight: number;
  /** Replies to numbers that this carrier doesn't have. */
  misroutedReplies: number;
  /** What the carrier itself counts since the node opened it; null if it counts nothing. */
  carrier: CarrierStatus | null;
  /** What came in its calls, from a process that takes calls and doesn't hand texts over. */
  calls?: CallCounts;
};

export type CarrierOverview = Awaited<ReturnType<typeof readStatus>>[number];

export const thisNode = `${hostname()}/${process.pid}`;
/** Nodes write every three seconds: one that was killed counts for no longer than this. */
const nodeMaxAgeMs = 10_000;

export async function writeStatus(
  { db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>,
  statuses: { carrierId: number; status: NodeStatus }[],
): Promise<void> {
  const now = databaseClock.now();
  await upsertStatus(db, thisNode, statuses, { now, forgetBefore: new Date(now.getTime() - nodeMaxAgeMs) });
}

/** A process that stops takes its rows along: it isn't a node any more, not one that is silent. */
export async function forgetStatus({ db }: Pick<Deps, 'db'>): Promise<void> {
  await deleteStatus(db, thisNode);
}

/** What this side counts of the carriers that make calls. */
export function callStatuses(open: OpenCarrier[]): { carrierId: number; status: NodeStatus & { calls: CallCounts } }[] {
  return open
    .filter(({ readCall }) => readCall)
    .map(({ carrierId, name, calls }) => {
      return {
        carrierId,
        status: { name, lastFault: null, inFlight: 0, misroutedReplies: calls.misroutedReplies, carrier: null, calls },
      };
    });
}

/** Production has no use for the sandbox's. */
export async function readStatus({ db, config, databaseClock }: Pick<Deps, 'db' | 'config' | 'databaseClock'>) {
  const rows = await listStatus<NodeStatus>(db, realTimeIn({ databaseClock }, -nodeMaxAgeMs));
  const texts = new Map((await countTexts(db)).map((each) => [each.carrierId, each]));
  const carriers = (await listCarriers(db)).filter(
    ({ kind }) => config.environment === 'sandbox' || kind !== 'sandbox',
  );
  return carriers.map(({ carrierId, name, kind, disabled }) => ({
    carrierId,
    name,
    kind,
    disabled,
    waiting: texts.get(carrierId)?.waiting ?? 0,
    inDoubt: texts.get(carrierId)?.inDoubt ?? 0,
    nodes: rows.flatMap((row) => (row.carrierId === carrierId ? { node: row.node, ...row.status } : [])),
  }));
}
