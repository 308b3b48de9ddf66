import { listActors, listAudit } from '../../domain/operations/audit.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { AuditQuery } from '../../schemas/operations/operations.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
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
  handler: async (deps) => ({ data: await listActors(deps) }),
});
