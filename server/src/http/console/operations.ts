import { explainTimes } from '../../domain/archive/explanations.ts';
import { thisNode } from '../../domain/carriers/status.ts';
import { examineDeployment } from '../../domain/operations/doctor.ts';
import { readOverview } from '../../domain/operations/overview.ts';
import { TimesExplanation } from '../../schemas/operations/operations.ts';
import { operatorEndpoint } from './endpoint.ts';

/** What runs and what waits. */
export const overview = operatorEndpoint({
  async handler(deps) {
    const { nodes, missed, texts, webhooks, archive } = await readOverview(deps);
    const { entries, signed, waiting, lastSigned } = archive;
    return { nodes, missed, texts, webhooks, archive: { entries, signed, waiting, lastSigned } };
  },
});

/** For a finding about the times of entries, and for no other. */
export const explain = operatorEndpoint({
  isFresh: true,
  body: TimesExplanation,
  handler: (deps, _, { body }, by) => explainTimes(deps, body, by),
});

export const doctor = operatorEndpoint({
  handler: async (deps) => ({ data: await examineDeployment(deps), node: thisNode }),
});
