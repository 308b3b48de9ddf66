import fc, { type Arbitrary } from 'fast-check';
import { problems } from '../src/domain/problems.ts';
import type { Operation, Parameter } from './operations.ts';
import { anyText, nearObject, nearText, nearValue, validValue } from './values.ts';

/** A request before real ids are filled in. */
export type Draft = {
  operation: Operation;
  /** `/v1`, or another version. */
  prefix: string;
  path: Record<string, unknown>;
  query: [name: string, value: unknown][];
  headers: Record<string, string>;
  credentials: Credentials;
  body: Body;
};
export type Credentials = 'both' | 'no token' | 'bad token' | 'no key' | 'bad key' | 'no scope';
export type Body =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown; edits: Edit[]; chunked: boolean }
  | { kind: 'text'; text: string; chunked: boolean };

/** A mistake in the JSON text, at a fraction of its length. */
export type Edit = { at: number; remove: number; insert: string };

/** A request of any operation, valid or nearly valid. */
export function drafts(operations: Operation[]): Arbitrary<Draft> {
  return fc.oneof(...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: draft(operation) })));
}

/** An operation without input has little to get wrong. */
function weightOf({ body, parameters }: Operation): number {
  return 1 + (body ? 4 : 0) + Math.min(parameters.length, 4);
}

function draft(operation: Operation): Arbitrary<Draft> {
  return fc.record({
    operation: fc.constant(operation),
    prefix: mostly(fc.constant('/v1'), 60, fc.constantFrom('/v2', '/v1.0', '/V1', '/v01')),
    path: fc.record(Object.fromEntries(parametersIn(operation, 'path').map((each) => [each.name, pathValue(each)]))),
    query: query(parametersIn(operation, 'query')),
    headers: headers(operation),
    credentials: mostly(
      fc.constant<Credentials>('both'),
      40,
      fc.constantFrom<Credentials>('no token', 'bad token', 'no key', 'bad key', 'no scope'),
    ),
    body: body(operation),
  });
}

function mostly<Value>(usual: Arbitrary<Value>, weight: number, odd: Arbitrary<Value>): Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

function parametersIn(operation: Operation, place: Parameter['in']): Parameter[] {
  return operation.parameters.filter((each) => each.in === place);
}

function pathValue({ name, schema }: Parameter): Arbitrary<unknown> {
  const odd = [
    '-1',
    '01',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '+1',
    'abc',
    '٣',
    '9007199254740992',
    '9'.repeat(400),
    'null',
  ];
  // Put into the URL unencoded: text that can't be decoded, or decodes to trouble.
  const raw = ['%', '%zz', '%ff', '%00', '%2F', '%2e%2e', '1%00', ';', '*'].map((text) => new RawText(text));
  return fc.oneof(
    { weight: 8, arbitrary: validValue(schema, name) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...odd, ...raw) },
    {
      weight: 1,
      arbitrary: nearText(schema).filter((text) => text !== '' && !/[./]/.test(text)),
    },
  );
}

/** Text that goes into the URL unencoded. */
export class RawText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function query(parameters: Parameter[]): Arbitrary<Draft['query']> {
  if (parameters.length === 0) return mostly(fc.constant<Draft['query']>([]), 10, fc.constant([['unknown', 'x']]));
  const one = fc.oneof(
    ...parameters.map(impatient).map(({ name, schema }) => ({
      weight: 3,
      arbitrary: fc.tuple(fc.constant(name), mostly(validValue(schema, name), 5, oddQueryValue(schema))),
    })),
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('unknown', '__proto__', 'PAGE', ''), fc.string()) },
  );
  const unique = fc.uniqueArray(one, { selector: ([name]) => name, maxLength: 5 });
  const repeated = fc.array(one, { minLength: 2, maxLength: 6 });
  const huge = one.map(([name]): Draft['query'] => [[name, 'x'.repeat(20_000)]]);
  return fc.oneof(
    { weight: 60, arbitrary: unique },
    { weight: 8, arbitrary: repeated },
    { weight: 1, arbitrary: huge },
  ) as Arbitrary<Draft['query']>;
}

/** Never long-poll: there are thousands of requests. */
function impatient(parameter: Parameter): Parameter {
  return parameter.name === 'wait' ? { ...parameter, schema: { ...parameter.schema, maximum: 0 } } : parameter;
}

function oddQueryValue(schema: Parameter['schema']): Arbitrary<unknown> {
  const raw = ['%', '%ff', '%ed%a0%80', '%00', '+', '+12125550123', '1&', '=', '%c0%80', '[]', '#'];
  return fc.oneof(nearText(schema), fc.constantFrom(...raw.map((text) => new RawText(text))));
}

function headers(operation: Operation): Arbitrary<Record<string, string>> {
  const faults = Object.entries(problems)
    .filter(([, { status }]) => status < 500 && operation.answers.has(status))
    .map(([code]) => code);
  const odd = fc.oneof(
    fc.constantFrom('1', 'v1', '1.0.0', '2', '', 'one').map((value) => ['x-api-version', value]),
    fc.constantFrom('nonsense', '', ...faults).map((value) => ['x-sandbox-fault', value]),
    traceparent().map((value) => ['traceparent', value]),
    fc.constantFrom('text/html', '', '*/*', 'application/xml;q=0').map((value) => ['accept', value]),
    fc.constantFrom('100-continue', 'nonsense').map((value) => ['expect', value]),
    fc.constantFrom('gzip', 'br', 'identity', 'x').map((value) => ['content-encoding', value]),
    fc.constantFrom('PATCH', 'DELETE').map((value) => ['x-http-method-override', value]),
    latin1().map((value) => ['x-odd', value]),
  );
  return fc
    .tuple(contentType(operation), idempotencyKey(operation), mostly(fc.constant<string[][]>([]), 8, fc.tuple(odd)))
    .map((groups) => Object.fromEntries(groups.flat()));
}

function contentType({ body }: Operation): Arbitrary<string[][]> {
  const json = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'];
  const odd: string[][][] = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/problem+json',
    'application/json, text/plain',
    'json',
    '',
    '\xff',
  ].map((value) => [['content-type', value]]);
  const usual: string[][][] = body ? json.map((value) => [['content-type', value]]) : [[]];
  return mostly(fc.constantFrom(...usual), 12, fc.constantFrom<string[][]>(...odd, []));
}

/** From a small set, so that some keys repeat with the same body or another. */
function idempotencyKey({ method }: Operation): Arbitrary<string[][]> {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.nat(400).map((number) => `key-${number}`) },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', 'k'.repeat(255), 'k'.repeat(256), '"quoted"') },
    { weight: 1, arbitrary: latin1() },
  );
  const sent = key.map((value) => [['idempotency-key', value]]);
  return fc.oneof(
    { weight: method === 'POST' ? 2 : 20, arbitrary: fc.constant<string[][]>([]) },
    { weight: 1, arbitrary: sent },
  );
}

function traceparent(): Arbitrary<string> {
  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const valid = fc.tuple(hex(32), hex(16)).map(([trace, span]) => `00-${trace}-${span}-01`);
  return mostly(valid, 2, fc.constantFrom('', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`, 'ff-x-y-z'));
}

/** Non-ASCII characters that a header can carry. */
function latin1(): Arbitrary<string> {
  return fc.string({
    unit: fc.integer({ min: 0xa1, max: 0xff }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 20,
  });
}

function body({ body: schema }: Operation): Arbitrary<Body> {
  const chunked = fc.boolean();
  const none = fc.constant<Body>({ kind: 'none' });
  const text = fc.record({ kind: fc.constant('text' as const), text: oddText(), chunked });
  if (!schema) return mostly<Body>(none, 12, text);
  const json = (value: Arbitrary<unknown>, edits: Arbitrary<Edit[]>) =>
    fc.record({ kind: fc.constant('json' as const), value, edits, chunked });
  const noEdits = fc.constant<Edit[]>([]);
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(3),
    insert: fc.constantFrom(
      '',
      ',',
      '"',
      '{',
      '}',
      ']',
      ':',
      '\\',
      '\\u0000',
      '\\ud800',
      'e999',
      '-',
      '\0',
      '\ufeff',
      '0',
      ' ',
      '//',
      "'",
    ),
  });
  return fc.oneof(
    { weight: 20, arbitrary: json(validValue(schema), noEdits) },
    { weight: 14, arbitrary: json(nearObject(schema), noEdits) },
    { weight: 4, arbitrary: json(validValue(schema), fc.array(edit, { minLength: 1, maxLength: 3 })) },
    { weight: 2, arbitrary: json(nearValue(schema), noEdits) },
    { weight: 2, arbitrary: text },
    { weight: 1, arbitrary: none },
  );
}

function oddText(): Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: anyText(0, 40) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '',
        '{}',
        'null',
        '[]',
        '""',
        '{"firstName":1e400}',
        '{"firstName":"a","firstName":"b","lastName":"c"}',
        `${'['.repeat(100)}${']'.repeat(100)}`,
        '['.repeat(100_000),
        `{"name":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`,
        'firstName=a&lastName=b',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(255, 256, 257).map((kibibytes) => `"${'x'.repeat(kibibytes * 1024 - 2)}"`),
    },
  );
}
