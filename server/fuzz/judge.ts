import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { problems } from '../src/domain/problems.ts';
import { hasControlCharacters, isBlank } from '../src/domain/shared/text/text-rules.ts';
import type { FuzzRequest, FuzzResponse } from './client.ts';
import type { Operation, Schema } from './operations.ts';
import { type Draft, RawText } from './requests.ts';
import { KnownId } from './values.ts';

/** What is wrong with the answer, in a sentence; `undefined` if it matches the document. */
export type Judge = (draft: Draft, sent: FuzzRequest, received: FuzzResponse) => string | undefined;

const problemTable: Record<string, { status: number; retryable: boolean }> = problems;

const ajv = new Ajv2020({
  strict: false,
  formats: {
    // The empty string clears a date, as the document's text says; and there was no year 0.
    date: (text: string) => text === '' || (isRealDate(text) && !text.startsWith('0000')),
    // Seconds may be leap seconds.
    'date-time': (text: string) =>
      isRealDate(text.slice(0, 10)) &&
      /^.{10}t([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.test(text),
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    uri: (text: string) => URL.canParse(text),
  },
});
const ownFormats: Record<string, (text: string) => boolean> = {
  text: (text) => !isBlank(text) && !hasControlCharacters(text),
  name: (text) => !isBlank(text),
};
ajv.addKeyword({
  keyword: 'x-format',
  type: 'string',
  validate: (name: string, text: string) => ownFormats[name]?.(text) ?? false,
});

export function makeJudge(operations: Operation[]): Judge {
  const validators = new Map<Schema, ValidateFunction>();
  const brokenBy = (schema: Schema, value: unknown): string | undefined => {
    const validate = validators.getOrInsertComputed(schema, () => ajv.compile(schema));
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
  for (const { answers, body } of operations)
    for (const schema of [...answers.values(), body]) if (schema) brokenBy(schema, {});

  return (draft, sent, received) => {
    const wrong = judgeAnswer(draft.operation, sent, received, brokenBy);
    if (wrong) return wrong;
    const refusals = [...refusedByDocument(draft.operation, sent, brokenBy)];
    if (received.status < 300 && refusals.length > 0) return `It was accepted, although ${refusals.join('; ')}.`;
    if (received.status < 300 && reachesAnother(draft, received)) return 'It reached another advisor’s data.';
    const { code, details } = received.status === 400 ? JSON.parse(received.text) : {};
    if (code === 'invalid_request' && refusals.length === 0 && isPlain(draft) && !isKnownRefusal(details))
      return 'It was refused, although the document allows it.';
    return undefined;
  };
}

type BrokenBy = (schema: Schema, value: unknown) => string | undefined;

/** Compares status, body and headers with the operation's documentation. */
function judgeAnswer(
  operation: Operation,
  sent: FuzzRequest,
  received: FuzzResponse,
  brokenBy: BrokenBy,
): string | undefined {
  const { status, headers, text } = received;
  if (status >= 500) return `A ${status}.`;
  if (!operation.answers.has(status)) return `${status} is not documented for ${operation.id}.`;
  if (!/^[0-9a-f]{32}$/.test(String(headers['x-trace-id']))) return 'x-trace-id is not a trace id.';
  const schema = operation.answers.get(status);
  if (status === 204) return text === '' ? undefined : 'A 204 has a body.';
  const type = status < 300 ? 'application/json' : 'application/problem+json';
  if (!headers['content-type']?.startsWith(type)) return `The content type is ${headers['content-type']}.`;
  const value = parsed(text);
  if (value === undefined) return 'The body is not JSON.';
  const broken = schema && brokenBy(schema, value);
  if (broken) return `The body of the ${status} breaks its schema: ${broken}.`;
  return status < 300 ? undefined : judgeProblem(value as Record<string, unknown>, sent, received);
}

function judgeProblem(
  problem: Record<string, unknown>,
  sent: FuzzRequest,
  { status, headers }: FuzzResponse,
): string | undefined {
  const known = problemTable[String(problem.code)];
  if (known?.status !== status || problem.status !== status) return `${problem.code} is not a code for a ${status}.`;
  if (problem.retryable !== known.retryable) return `${problem.code} says retryable ${problem.retryable}.`;
  if (!String(problem.type).endsWith(`/problems/${problem.code}`))
    return `The type of ${problem.code} is ${problem.type}.`;
  if (problem.traceId !== headers['x-trace-id']) return 'The trace ids of body and header differ.';
  // A request that can't be parsed as HTTP has no path.
  if (problem.instance !== sent.url.split('?')[0] && problem.instance !== '/')
    return `The instance is ${problem.instance}.`;
  if (status === 429 && !/^[1-9]\d*$/.test(String(headers['retry-after']))) return 'A 429 without Retry-After.';
  return undefined;
}

/** Why the document doesn't allow the request: compares path, query and body with their schemas. */
function* refusedByDocument(
  { parameters, path, body }: Operation,
  sent: FuzzRequest,
  brokenBy: BrokenBy,
): Generator<string> {
  const given = [...inPath(path, sent.url), ...inQuery(sent.url)];
  for (const { place, name } of given)
    if (place === 'query' && !parameters.some((each) => each.in === place && each.name === name))
      yield `${name} is unknown`;
  for (const { name, in: place, schema } of parameters) {
    const values = given.filter((each) => each.place === place && each.name === name);
    if (values.length > 1) yield `${name} is repeated`;
    for (const { text } of values) {
      const broken = brokenBy(schema, fromText(schema, text));
      if (broken) yield `${name}: ${broken}`;
    }
  }
  if (!body) return;
  // A byte order mark before JSON is ignored (RFC 8259).
  const value = parsed(sent.body.toString('utf8').replace(/^\ufeff/, ''));
  const broken = value === undefined ? 'it is not JSON' : brokenBy(body, understood(body, value));
  if (broken) yield `the body: ${broken}`;
}

/** A value that can't be decoded is no text, and no schema allows it. */
type Argument = { place: 'path' | 'query'; name: string | undefined; text: string | undefined };

function inPath(template: string, url: string): Argument[] {
  const [, , ...segments] = url.split('?', 1)[0]?.split('/') ?? [];
  return template
    .split('/')
    .slice(1)
    .map((part, index) => ({ place: 'path', name: part.replace(/[{}]/g, ''), text: decoded(segments[index] ?? '') }));
}

function inQuery(url: string): Argument[] {
  const start = url.indexOf('?');
  const pairs =
    start < 0
      ? []
      : url
          .slice(start + 1)
          .split('&')
          .filter(Boolean);
  return pairs.map((pair) => {
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    return { place: 'query', name: decoded(name), text: decoded(text) };
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function fromText(schema: Schema, text: string | undefined): unknown {
  return schema.type === 'integer' && /^(0|-?[1-9]\d*)$/.test(String(text)) ? Number(text) : text;
}

/** The body as the document reads it: trimmed, and without ignored and unset fields. */
function understood(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const {
    properties = {},
    'x-ignored-when': ignoredWhen = {},
    'x-ignored-if-false': ignoredIfFalse = {},
    'x-empty-is-unset': emptyIsUnset = {},
    'x-null-is-unset': nullIsUnset,
  } = schema;
  const given = Object.entries(value).filter(([, each]) => !(nullIsUnset && each === null));
  const fields = Object.fromEntries(given) as Record<string, unknown>;
  const isIgnored = ([name, each]: [string, unknown]) =>
    (Object.hasOwn(ignoredWhen, name) && fields[ignoredWhen[name] ?? ''] === true) ||
    (Object.hasOwn(ignoredIfFalse, name) && fields[ignoredIfFalse[name] ?? ''] === false && typeof each === 'number') ||
    (Object.hasOwn(emptyIsUnset, name) && isEmptyList(each) && fields[emptyIsUnset[name] ?? ''] !== undefined);
  return Object.fromEntries(
    given
      .filter((field) => !isIgnored(field))
      .map(([name, each]) => {
        const trim = Object.hasOwn(properties, name) && properties[name]?.['x-trim'];
        return [name, trim && typeof each === 'string' ? each.trim() : each];
      }),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether another advisor's contact or group was named and not treated as missing. */
function reachesAnother({ path, query, body }: Draft, { text }: FuzzResponse): boolean {
  const isForeign = (value: unknown) => value instanceof KnownId && value.foreign;
  if (Object.values(path).some(isForeign)) return true;
  if (query.some(([name, value]) => name === 'groupId' && isForeign(value))) return JSON.parse(text).data.length > 0;
  const input = (body.kind === 'json' && body.edits.length === 0 ? body.value : null) as Memberships;
  return Boolean(input?.groupIds && !input.isSelectAllGroup && [input.groupIds].flat().some(isForeign));
}

type Memberships = { groupIds?: unknown; isSelectAllGroup?: unknown } | null;

/** Odd only in its values, which can be stored: then only the document may refuse it. */
function isPlain({ prefix, headers, query, path, body }: Draft): boolean {
  const usual = ['content-type', 'accept'];
  const values = [...query.flat(), ...Object.values(path), body.kind === 'json' ? body.value : ''];
  return (
    prefix === '/v1' &&
    Object.keys(headers).every((name) => usual.includes(name)) &&
    (body.kind === 'none' || (body.kind === 'json' && body.edits.length === 0)) &&
    values.every(isStorable) &&
    query.every(([name, value]) => String(name).length + String(value).length < 5_000)
  );
}

function isStorable(value: unknown): boolean {
  if (value instanceof RawText) return false;
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

/** Rules that no schema has: missing records, fields required only without another or because of one, and times. */
const knownRefusals: Record<string, string[]> = {
  groupIds: ['exists', 'required'],
  phone: ['required'],
  phoneNumbers: ['notAccepted'],
  memberId: ['agree'],
  search: ['agree'],
  cursor: ['known', 'kept'],
  sortBy: ['applies'],
  sortDirection: ['applies'],
  deliveryDate: ['required', 'future', 'daysAhead', 'scheduleDelivery'],
  frequency: ['scheduleDelivery'],
  whenConsented: ['scheduleDelivery'],
};

function isKnownRefusal(details: { path: string; rule: string }[]): boolean {
  return details.every(({ path, rule }) => knownRefusals[path.split('/')[1] ?? '']?.includes(rule));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRealDate(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
