import { addAlertTarget, readAlerts, removeAlertTarget, testAlertTarget } from '../../domain/operations/alerts.ts';
import { AlertTargetInput, AlertTargetParams } from '../../schemas/operations/alerts.ts';
import { operatorEndpoint } from './endpoint.ts';

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
