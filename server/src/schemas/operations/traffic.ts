import { type Range, ranges } from '../../domain/operations/traffic.ts';
import { Type } from '../shared/type.ts';

/** `until` is in epoch milliseconds, now if it isn't given; `key` is an API key's id, 0 the advisors' own app, -1 refused credentials. */
export const TrafficQuery = Type.Object({
  range: Type.Unsafe<Range>({ enum: Object.keys(ranges) }),
  until: Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })),
  key: Type.Optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
});
