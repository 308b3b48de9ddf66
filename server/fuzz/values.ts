import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from './operations.ts';

/** A placeholder for an id that exists when the request is sent, or for another advisor's, which must not be found. */
export class KnownId {
  readonly noun: 'contact' | 'group';
  readonly index: number;
  readonly foreign: boolean;

  constructor(noun: 'contact' | 'group', index: number, foreign: boolean) {
    this.noun = noun;
    this.index = index;
    this.foreign = foreign;
  }
}

/** One code point each: wide, combining, ignorable, right-to-left, the highest; some grow when case-folded or normalized. */
export const oddCharacters = [
  'a',
  'Z',
  ' ',
  'é',
  'ß',
  'İ',
  '\u0301',
  '\u200b',
  '\ufeff',
  '\uffff',
  'ﷺ',
  '㎯',
  '⑽',
  '#',
  '4',
  '\u0323',
  'σ',
  'א',
  '中',
  '😀',
  '\u{10ffff}',
];
const hostileTexts = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\udc00\ud800',
  '%',
  '_',
  '\\',
  "'",
  '"; drop table contacts; --',
  '$1',
  '{}',
  '[]',
  'null',
  'true',
  '-0',
  '1e400',
  '\u2028',
  '\r\nx-injected: 1',
  '../../etc/passwd',
  '%00',
  '%ff',
  '+12125550123 ',
  '+1212555012３',
  '2021-02-30',
  '0000-01-01',
  '10000-01-01',
  '2026-03-01T25:00:00Z',
  '2026-03-01T17:05:00',
  '-271821-04-20T00:00:00Z',
];
const oddNumbers = [
  -1,
  -0,
  0.5,
  1.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  2 ** 64,
  1e21,
  1e308,
  Number.MIN_VALUE,
  Number.MIN_SAFE_INTEGER,
];

/** Text from all planes of Unicode. fast-check's own takes a tenth of a second to build, and every field needs one. */
export function anyText(minLength: number, maxLength: number): Arbitrary<string> {
  return fc.array(codePoint, { minLength, maxLength }).map((codes) => String.fromCodePoint(...codes));
}

const codePoint = fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));

/** A value that the schema allows. */
export function validValue(schema: Schema, name = ''): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(
    ...types.map((type) => ({ weight: type === 'null' ? 1 : 6, arbitrary: validOf(type, schema, name) })),
  );
}

function validOf(type: string, schema: Schema, name: string): Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return validInteger(schema, name);
  if (type === 'array')
    return fc.array(validValue(schema.items ?? {}, name.replace(/s$/, '')), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 6, 6),
    });
  if (type === 'object') return validObject(schema);
  return validText(schema);
}

function validInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, name: string): Arbitrary<unknown> {
  const [, noun] = /^(contact|group)Id$/.exec(name) ?? [];
  const anywhere = fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }),
    fc.maxSafeInteger().map((value) => minimum + (Math.abs(value) % (maximum - minimum + 1))),
  );
  if (!noun) return anywhere;
  return fc.oneof(
    { weight: 8, arbitrary: knownId(noun as KnownId['noun'], fc.constant(false)) },
    { weight: 1, arbitrary: knownId(noun as KnownId['noun'], fc.constant(true)) },
    { weight: 1, arbitrary: anywhere },
  );
}

function knownId(noun: KnownId['noun'], foreign: Arbitrary<boolean>): Arbitrary<KnownId> {
  return fc.tuple(fc.nat(1_000), foreign).map(([index, ofAnother]) => new KnownId(noun, index, ofAnother));
}

function validText(schema: Schema): Arbitrary<unknown> {
  const { minLength = 0, maxLength = 60 } = schema;
  if (schema.format === 'date')
    return fc.oneof({ weight: 6, arbitrary: date() }, { weight: 1, arbitrary: fc.constant('') });
  if (schema.format === 'date-time') return dateTime();
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern)).filter((text) => text.length < 30);
  return (
    fc
      .oneof(
        { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength, 20) }) },
        { weight: 2, arbitrary: anyText(minLength, Math.min(maxLength, 40)) },
        { weight: 1, arbitrary: fc.constantFrom(...oddCharacters).map((each) => each.repeat(maxLength)) },
      )
      .map((text) => text.replaceAll('\0', '0'))
      // A blank name would be trimmed to nothing.
      .map((text) => (minLength > 0 && text.trim() === '' ? 'x' : text))
  );
}

function date(): Arbitrary<string> {
  const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T00:00:00Z')];
  return fc.date({ min, max, noInvalidDate: true }).map((each) => each.toISOString().slice(0, 10));
}

function dateTime(): Arbitrary<string> {
  const offset = fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '-23:59', '+05:30');
  const fraction = fc.constantFrom('', '.5', '.123', '.999999999', '.1234567890123');
  return fc
    .tuple(
      date(),
      fc.constantFrom('T', 't'),
      fc.constantFrom('00:00:00', '23:59:59', '23:59:60', '12:30:45'),
      fraction,
      offset,
    )
    .map((parts) => parts.join(''));
}

function validObject(schema: Schema): Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  return fc.record(Object.fromEntries(properties.map(([name, each]) => [name, validValue(each, name)])), {
    requiredKeys: schema.required ?? [],
  });
}

/** A slightly wrong value: another type, one past a bound, not in the list, or hostile text. */
export function nearValue(schema: Schema): Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, false, '', 0, 1, [], {}, [null], { a: 1 }, 'x', '1'),
    fc.constantFrom(...oddNumbers),
    fc.constantFrom(...hostileTexts),
    outOfBounds(schema),
    anyText(0, 12),
    fc.jsonValue({ maxDepth: 2 }),
  );
}

/**
 * The same, written into a path or a query. An object as JSON: one in a few thousand has a field called `toString`, and
 * `String` throws on those.
 */
export function nearText(schema: Schema): Arbitrary<string> {
  return nearValue(schema).map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
}

function outOfBounds({ minLength, maxLength, minimum, maximum, enum: list }: Schema): Arbitrary<unknown> {
  const choices: Arbitrary<unknown>[] = [fc.constant('nothing of the kind')];
  if (maxLength !== undefined)
    choices.push(fc.constantFrom(...oddCharacters).map((each) => each.repeat(maxLength + 1)));
  if (minLength !== undefined && minLength > 0)
    choices.push(fc.constantFrom(...oddCharacters).map((each) => each.repeat(minLength - 1)));
  if (minimum !== undefined) choices.push(fc.constant(minimum - 1));
  if (maximum !== undefined) choices.push(fc.constant(maximum + 1));
  if (list) choices.push(fc.constantFrom(...list).map((each) => (typeof each === 'string' ? each.toUpperCase() : 99)));
  return fc.oneof(...choices);
}

/** An object with a few wrong, missing or unknown fields. */
export function nearObject(schema: Schema): Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, each]) => [
    name,
    fc.oneof({ weight: 4, arbitrary: validValue(each, name) }, { weight: 1, arbitrary: nearValue(each) }),
  ]);
  return fc
    .tuple(fc.record(Object.fromEntries(properties), { requiredKeys: [] }), fc.array(unknownField(), { maxLength: 2 }))
    .map(([fields, more]) => more.reduce((object, [name, value]) => withField(object, name, value), fields));
}

function unknownField(): Arbitrary<[string, unknown]> {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'contactId',
    'advisorId',
    'source',
    'FirstName',
    '',
    '\0',
    '\ud800',
  ];
  return fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(fc.constantFrom<unknown>('\0', { a: ['\ud800'] }), fc.jsonValue({ maxDepth: 2 })),
  );
}

/** Works for the name `__proto__`, too, which an assignment would take for the prototype. */
function withField(object: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true });
}
