import { listInDoubt, readDoubtfulText, settleDoubt } from '../../domain/delivery/settled-doubts.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { Id, stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

const DoubtsQuery = Type.Object({ before: Type.Optional(Id()) });
const DoubtParams = Type.Object({ advisorId: Id(), messageId: Id() });
const DoubtDecision = Type.Object({ as: Type.Unsafe<'sent' | 'not_sent'>({ enum: ['sent', 'not_sent'] }) });
/** Somebody reads it later in the audit log. */
const ReadingReason = Type.Object({ reason: Type.String({ minLength: 5, maxLength: stringLengthMax }) });

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
