import { addAlertTarget, readAlerts, removeAlertTarget, testAlertTarget } from '../../domain/operations/alerts.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

const AlertTargetParams = Type.Object({ targetId: Id() });
const AlertTargetInput = Type.Object({
  kind: Type.Unsafe<'webhook' | 'mail'>({ enum: ['webhook', 'mail'] }),
  address: Type.String({ minLength: 3, maxLength: 2000 }),
});

export const read = operatorEndpoint({
  handler: (deps) => readAlerts(deps),
});

export const add = operatorEndpoint({
  isFresh: true,
  body: AlertTargetInput,
  handler: (deps, _, { body }, by) => addAlertTarget(deps, body, by),
});

export const remove = operatorEndpoint({
  params: AlertTargetParams,
  handler: (deps, _, { params }, by) => removeAlertTarget(deps, params.targetId, by),
});

export const test = operatorEndpoint({
  params: AlertTargetParams,
  handler: async (deps, _, { params }) => ({ fault: await testAlertTarget(deps, params.targetId) }),
});
