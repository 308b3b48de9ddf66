import { nameLengthMax } from '../../domain/accounts/names.ts';
import { type EnumerationName, enumerations, values } from '../../domain/shared/enumerations.ts';
import { e164Pattern } from '../../domain/shared/phone-numbers.ts';
import { emailPattern } from '../../domain/shared/text/text-rules.ts';
import { Type } from './type.ts';

export { nameLengthMax };
/** Lengths are in code points, as JSON Schema counts them. */
export const emailLengthMax = 254;
export const stringLengthMax = 500;
export const idMax = Number.MAX_SAFE_INTEGER;

type Annotation = { description?: string; examples?: unknown[] };
type Clearable = string | null;

export const Id = (annotation: Annotation = {}) => Type.Integer({ minimum: 0, maximum: idMax, ...annotation });

/** A name is trimmed before its length is checked, and can't be cleared. */
export const Name = (annotation: Annotation = {}) =>
  Type.String({ 'x-trim': true, minLength: 1, maxLength: nameLengthMax, 'x-format': 'name', ...annotation });

export const optionalEmailPattern = `^$|${emailPattern}`;
export const OptionalEmailAddress = (annotation: Annotation = {}) =>
  Type.Optional(
    Type.Unsafe<Clearable>({
      type: ['string', 'null'],
      maxLength: emailLengthMax,
      pattern: optionalEmailPattern,
      ...annotation,
    }),
  );

/** An optional string: `null` and `""` mean unset. */
export const OptionalText = (maxLength: number, annotation: Annotation = {}) =>
  Type.Optional(Type.Unsafe<Clearable>({ type: ['string', 'null'], maxLength, ...annotation }));

export const OptionalDate = (annotation: Annotation = {}) =>
  Type.Optional(Type.Unsafe<Clearable>({ type: ['string', 'null'], format: 'date', ...annotation }));

export const optionalE164Pattern = `^$|${e164Pattern}`;
export const OptionalPhone = (annotation: Annotation = {}) =>
  Type.Optional(Type.Unsafe<Clearable>({ type: ['string', 'null'], pattern: optionalE164Pattern, ...annotation }));

export const Phone = (annotation: Annotation = {}) => Type.String({ pattern: e164Pattern, ...annotation });

/** A numbered value in input: `null` and `""` mean unset, which is 0. */
export const OptionalEnumeration = (name: EnumerationName) =>
  Type.Optional(
    Type.Unsafe<number | null>({ enum: [...values(name), null, ''], description: inWords(name), examples: [0] }),
  );

export const Enumeration = <Value extends number = number>(name: EnumerationName) =>
  Type.Unsafe<Value>({ type: 'integer', enum: values(name), description: inWords(name) });

export const DateTime = (annotation: Annotation = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-03-01T17:05:00.000Z'], ...annotation });

/** The same in a response, as a date: the serializer writes it in a sixth of the time that `toISOString` takes. */
export const Instant = () => Type.Unsafe<Date>(DateTime());

/** RFC 3339 can't express a later time. */
export const lastMs = Date.UTC(9999, 11, 31);

function inWords(name: EnumerationName): string {
  return Object.entries(enumerations[name])
    .map(([value, word]) => `${value} ${word}`)
    .join(', ');
}
