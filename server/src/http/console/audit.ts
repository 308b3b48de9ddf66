import { auditKinds, listActors, listAudit } from '../../domain/operations/audit.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { operatorEndpoint } from './endpoint.ts';

const { Optional } = Type;
const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });
const AuditQuery = Type.Object({
  kind: Optional(Type.Unsafe<(typeof auditKinds)[number]>({ type: 'string', enum: auditKinds })),
  actor: Optional(text()),
  since: Optional(Type.String({ format: 'date-time' })),
  until: Optional(Type.String({ format: 'date-time' })),
  cursor: Optional(text()),
});

export const list = operatorEndpoint({
  isLong: true,
  query: AuditQuery,
  async handler(deps, _, { query: { since, until, ...query } }) {
    const { data, cursor } = await listAudit(deps, {
      ...query,
      ...(since && { since: instantOf(since) }),
      ...(until && { until: instantOf(until) }),
    });
    return { data: await hideNumbersIn(deps.turn, data), cursor };
  },
});

export const actors = operatorEndpoint({
  isLong: true,
  handler: async (deps) => ({ data: await listActors(deps) }),
});
