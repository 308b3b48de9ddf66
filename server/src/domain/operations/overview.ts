import type { Deps } from '../../deps.ts';
import { findFirstTurn } from '../../store/delivery/dispatches.ts';
import { findOverview } from '../../store/operations/overview.ts';
import { archiveStatus } from '../archive/archive-status.ts';
import { readStatus } from '../carriers/status.ts';
import { listWebhooks } from '../webhooks/webhooks.ts';
import { listMissedNodes, listNodes } from './nodes.ts';

export type Overview = Awaited<ReturnType<typeof readOverview>>;

export async function readOverview(deps: Deps) {
  const realNow = deps.databaseClock.now();
  const first = await findFirstTurn(deps.db);
  const webhooks = await listWebhooks(deps);
  const count = (status: string) => webhooks.filter((each) => each.status === status).length;
  return {
    nodes: await listNodes(deps),
    missed: await listMissedNodes(deps),
    texts: {
      ...(await findOverview(deps.db, { now: deps.clock.now(), realNow })),
      oldestWaitSeconds: first ? Math.max(0, (realNow.getTime() - first.getTime()) / 1000) : 0,
    },
    carriers: await readStatus(deps),
    webhooks: { on: count('on'), failing: count('failing'), off: count('off') },
    archive: await archiveStatus(deps),
  };
}
