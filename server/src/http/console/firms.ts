import { addFirm, listFirms } from '../../domain/accounts/firms.ts';
import { setFirm } from '../../domain/consent/firm-opt-outs.ts';
import { FirmChange, FirmInput, FirmParams } from '../../schemas/accounts/firms.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
  handler: async (deps) => ({ data: await listFirms(deps), environment: deps.config.environment }),
});

export const add = operatorEndpoint({
  body: FirmInput,
  handler: (deps, _, { body }, by) => addFirm(deps, body.name, by),
});

export const set = operatorEndpoint({
  params: FirmParams,
  body: FirmChange,
  handler: (deps, _, { params, body }, by) => setFirm(deps, params.firmId, body, by),
});
