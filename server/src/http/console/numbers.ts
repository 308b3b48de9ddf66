import type { Deps } from '../../deps.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import * as numbers from '../../domain/carriers/numbers.ts';
import { problem } from '../../domain/problems.ts';
import { NumberChange, NumberInput, NumberParams } from '../../schemas/carriers/carriers.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
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
