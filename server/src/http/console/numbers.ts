import type { Deps } from '../../deps.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import * as numbers from '../../domain/carriers/numbers.ts';
import { problem } from '../../domain/problems.ts';
import { e164Pattern } from '../../domain/shared/phone-numbers.ts';
import { Id, stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { carrierName } from './carriers.ts';
import { operatorEndpoint } from './endpoint.ts';

const change = {
  pace: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
  campaign: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: stringLengthMax })),
};
/** A number is known by its advisor, so that no address has a number in it. */
const NumberParams = Type.Object({ advisorId: Id() });
const NumberInput = Type.Object({
  number: Type.String({ pattern: e164Pattern }),
  carrier: carrierName(),
  ...change,
});
const NumberChange = Type.Object({ carrier: Type.Optional(carrierName()), ...change });

export const list = operatorEndpoint({
  isLong: true,
  handler: async (deps) => ({ data: await numbers.listNumbers(deps) }),
});

export const add = operatorEndpoint({
  params: NumberParams,
  body: NumberInput,
  handler: (deps, _, { params, body }, by) =>
    numbers.addNumber(deps, { ...body, advisor: String(params.advisorId) }, by),
});

export const set = operatorEndpoint({
  params: NumberParams,
  body: NumberChange,
  handler: async (deps, _, { params, body }, by) =>
    numbers.setNumber(deps, await numberOf(deps, params.advisorId), body, by),
});

export const release = operatorEndpoint({
  params: NumberParams,
  handler: async (deps, _, { params }, by) => numbers.releaseNumber(deps, await numberOf(deps, params.advisorId), by),
});

export const check = operatorEndpoint({
  params: NumberParams,
  handler: async (deps, _, { params }) => numbers.checkNumber(deps, await numberOf(deps, params.advisorId)),
});

async function numberOf(deps: Deps, advisorId: number): Promise<string> {
  const { textingNumber } = await getAdvisor(deps, String(advisorId));
  if (!textingNumber) throw problem('not_found', `Advisor ${advisorId} has no number.`);
  return textingNumber;
}
