import { explainTimes } from '../../domain/archive/explanations.ts';
import { thisNode } from '../../domain/carriers/status.ts';
import { examineDeployment } from '../../domain/operations/doctor.ts';
import { readOverview } from '../../domain/operations/overview.ts';
import { stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

const number = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** The entries of an advisor, 0 for the deployment, whose times are wrong, and why. */
const TimesExplanation = Type.Object({
  advisorId: number(),
  from: number(),
  to: number(),
  reason: Type.String({ minLength: 5, maxLength: stringLengthMax }),
});

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
