import { listInDoubt, readDoubtfulText, settleDoubt } from '../../domain/delivery/settled-doubts.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { DoubtDecision, DoubtParams, DoubtsQuery, ReadingReason } from '../../schemas/operations/operations.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
  query: DoubtsQuery,
  handler: (deps, _, { query }) => listInDoubt(deps, query),
});

export const settle = operatorEndpoint({
  params: DoubtParams,
  body: DoubtDecision,
  handler: (deps, _, { params, body }, by) => settleDoubt(deps, params, body.as, by),
});

export const read = operatorEndpoint({
  params: DoubtParams,
  body: ReadingReason,
  handler: async (deps, _, { params, body }, by) =>
    hideNumbersIn(deps.turn, await readDoubtfulText(deps, params, body.reason, by)),
});
