import type { TSchema } from 'typebox';
import { problemCodes } from '../../domain/problems.ts';
import { versionsServed } from '../door/hooks.ts';
import { idempotencyKeyLengthMax } from '../door/input.ts';
import type { Schema, Shapes } from './shapes.ts';

/** Headers that many operations take. */
export const headerParameters = {
  ApiVersion: {
    name: 'X-API-Version',
    in: 'header',
    description: 'The version that you expect. Any other version is 400 `version_mismatch`.',
    schema: { type: 'string', enum: versionsServed },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      'Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice.',
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax },
  },
  SandboxFault: {
    name: 'x-sandbox-fault',
    in: 'header',
    description:
      'For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done.',
    schema: { type: 'string', enum: problemCodes },
  },
};

/** A parameter for each field of the schema. Only those in the path are required. */
export function parametersOf(place: 'path' | 'query', schema: TSchema | undefined, { refer }: Shapes): object[] {
  const { properties = {} } = (schema ?? {}) as Schema;
  return Object.entries(properties).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    description,
    schema: refer(rest),
    ...(examples ? { example: examples[0] } : {}),
  }));
}
