import { addFirm, listFirms, optOutScopes } from '../../domain/accounts/firms.ts';
import { setFirm } from '../../domain/consent/firm-opt-outs.ts';
import { Id, nameLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

export const FirmParams = Type.Object({ firmId: Id() });
const FirmInput = Type.Object({ name: Type.String({ minLength: 1, maxLength: nameLengthMax }) });
const FirmChange = Type.Object({
  firstTextLine: Type.Optional(Type.Boolean()),
  optOutScope: Type.Optional(Type.Unsafe<(typeof optOutScopes)[number]>({ enum: optOutScopes })),
});

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
