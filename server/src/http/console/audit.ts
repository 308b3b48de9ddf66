import { listActors, listAudit } from '../../domain/operations/audit.ts';
import { AuditQuery } from '../../schemas/operations/operations.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
  query: AuditQuery,
  handler: (deps, _, { query: { since, until, ...query } }) =>
    listAudit(deps, {
      ...query,
      ...(since && { since: new Date(since) }),
      ...(until && { until: new Date(until) }),
    }),
});

export const actors = operatorEndpoint({
  handler: async (deps) => ({ data: await listActors(deps) }),
});
