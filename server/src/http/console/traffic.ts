import { type Range, ranges, readTraffic } from '../../domain/operations/traffic.ts';
import { readTrafficNow } from '../../domain/operations/traffic-now.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

/** `until` is in epoch milliseconds, now if it isn't given; `key` is an API key's id, 0 the advisors' own app, -1 refused credentials. */
const TrafficQuery = Type.Object({
  range: Type.Unsafe<Range>({ enum: Object.keys(ranges) }),
  until: Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })),
  key: Type.Optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
});

export const get = operatorEndpoint({
  query: TrafficQuery,
  cost: 2,
  handler: (deps, _staff, { query: { range, until, key } }) =>
    readTraffic(deps, { range, keyId: key, ...(until === undefined ? {} : { until: new Date(until) }) }),
});

export const getNow = operatorEndpoint({ handler: readTrafficNow });
