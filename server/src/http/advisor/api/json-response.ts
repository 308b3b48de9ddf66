import { Type } from '../../../schemas/shared/type.ts';

/** Of an endpoint whose handler returns what the app gets. A date goes as its milliseconds. */
export const jsonResponse = {
  response: Type.Object({}),
  write: (result: unknown) => JSON.stringify(result, inMilliseconds),
};

/** `value` is what a date's own toJSON made of it. */
function inMilliseconds(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key];
  return given instanceof Date ? given.getTime() : value;
}
