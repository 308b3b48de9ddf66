import { thisNode } from '../../domain/carriers/status.ts';
import { examineDeployment } from '../../domain/operations/doctor.ts';
import { readOverview } from '../../domain/operations/overview.ts';
import { operatorEndpoint } from './endpoint.ts';

/** What runs and what waits. */
export const overview = operatorEndpoint({
  async handler(deps) {
    const { nodes, missed, texts, webhooks, archive } = await readOverview(deps);
    const { entries, signed, waiting, lastSigned } = archive;
    return { nodes, missed, texts, webhooks, archive: { entries, signed, waiting, lastSigned } };
  },
});

export const doctor = operatorEndpoint({
  handler: async (deps) => ({ data: await examineDeployment(deps), node: thisNode }),
});
