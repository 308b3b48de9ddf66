import * as carriers from '../../domain/carriers/carriers.ts';
import { readStatus } from '../../domain/carriers/status.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

const { Optional } = Type;
export const carrierName = () => Type.String({ minLength: 1, maxLength: 50 });
/** What its kind takes: the domain checks them by the kind's own schema. */
const settings = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

const CarrierParams = Type.Object({ carrier: carrierName() });
const CarrierInput = Type.Object({ name: carrierName(), kind: carrierName(), settings });
const CarrierChange = Type.Object({ settings: Optional(settings), disabled: Optional(Type.Boolean()) });

/** With how each does on every node, now. */
export const list = operatorEndpoint({
  async handler(deps) {
    const status = new Map((await readStatus(deps)).map((each) => [each.carrierId, each]));
    const data = (await carriers.listCarriers(deps)).map((each) => ({
      ...each,
      ...(status.get(each.carrierId) ?? { waiting: 0, inDoubt: 0, nodes: [] }),
    }));
    // Every database has the sandbox's; production never opens it.
    const { environment } = deps.config;
    return { data: data.filter(({ kind }) => kind !== 'sandbox' || environment === 'sandbox') };
  },
});

export const kinds = operatorEndpoint({
  handler: async (deps) => ({ data: carriers.listCarrierKinds(deps) }),
});

/** Needs a fresh sign-in: texts go to the carrier’s address. */
export const add = operatorEndpoint({
  isFresh: true,
  body: CarrierInput,
  handler: (deps, _, { body }, by) => carriers.addCarrier(deps, body, by),
});

export const set = operatorEndpoint({
  isFresh: (_, __, { body }) => body.settings !== undefined,
  params: CarrierParams,
  body: CarrierChange,
  handler: (deps, _, { params, body }, by) => carriers.setCarrier(deps, params.carrier, body, by),
});

export const remove = operatorEndpoint({
  params: CarrierParams,
  handler: (deps, _, { params }, by) => carriers.removeCarrier(deps, params.carrier, by),
});
