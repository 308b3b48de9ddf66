import { readTraffic } from '../../domain/operations/traffic.ts';
import { readTrafficNow } from '../../domain/operations/traffic-now.ts';
import { TrafficQuery } from '../../schemas/operations/traffic.ts';
import { operatorEndpoint } from './endpoint.ts';

export const get = operatorEndpoint({
  query: TrafficQuery,
  cost: 2,
  handler: (deps, _staff, { query: { range, until, key } }) =>
    readTraffic(deps, { range, keyId: key, ...(until === undefined ? {} : { until: new Date(until) }) }),
});

export const getNow = operatorEndpoint({ handler: readTrafficNow });
