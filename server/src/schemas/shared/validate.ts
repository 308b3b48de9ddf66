import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { type BrokenRule, brokenRulesMax, invalid } from '../../domain/problems.ts';
import { e164Pattern } from '../../domain/shared/phone-numbers.ts';
import { hasControlCharacters, isBlank } from '../../domain/shared/text/text-rules.ts';
import { optionalE164Pattern, optionalEmailPattern } from './strings.ts';

export type ValidationResult<Value> = { value: Value } | { broken: BrokenRule[] };

const e164Message = 'must be a phone number in E.164: a plus sign, a digit 1-9, then 7 to 14 more digits';
const patternMessages: Record<string, string> = {
  [e164Pattern]: e164Message,
  [optionalE164Pattern]: e164Message,
  [optionalEmailPattern]:
    'must be an email address: one @ with something on both sides, a dot in the domain, no white space',
};
/** Those of `format`, which JSON Schema knows, and those of `x-format`, which only we know. */
const formats: Record<string, { test: (text: string) => boolean; message: string | ((text: string) => string) }> = {
  date: { test: isDate, message: 'must be a real date as YYYY-MM-DD' },
  text: {
    // An empty one breaks minLength already.
    test: (text) => text === '' || (!isBlank(text) && !hasControlCharacters(text)),
    message: (text) =>
      isBlank(text) ? 'must not be blank' : 'must have no control characters except tab and line breaks',
  },
  name: { test: (text) => text === '' || !isBlank(text), message: 'must not be blank' },
  'web-address': { test: isWebAddress, message: 'must be an absolute http or https URL in ASCII' },
  'date-time': { test: isDateTime, message: 'must be a time in RFC 3339, such as 2026-03-01T17:05:00Z' },
};

/** One stops at the first broken rule and checks every input; the other finds them all and explains refused input. */
const screener = makeAjv({ allErrors: false });
const explainer = makeAjv({ allErrors: true });

/** What a part of a request is once its schema, if there is one, has checked it. */
export type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export function validator<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => ValidationResult<Static<Schema>> {
  // Compiled at the first use: all of them take a sixth of a start, and a command or a test uses few.
  let validate: ValidateFunction | undefined;
  let explain: ValidateFunction | undefined;

  function brokenIn(value: unknown): BrokenRule[] {
    validate ??= screener.compile(schema);
    // Checked after unknown fields are removed: those are ignored, whatever they contain.
    if (validate(value)) return isWellFormed(value) ? [] : illFormed(value, '');
    // Explaining tens of thousands of wrong items would take a third of a second, and only a hundred are shown.
    if (hasLongList(value)) return brokenRules(validate.errors ?? []);
    explain ??= explainer.compile(schema);
    explain(value);
    return brokenRules(explain.errors ?? []);
  }

  return (value) => {
    const broken = brokenIn(value);
    return broken.length > 0 ? { broken: broken.slice(0, brokenRulesMax) } : { value: value as Static<Schema> };
  };
}

/** The value, or a problem with its broken rules, where nothing else of the request is checked with it. */
export function valid<Value>(result: ValidationResult<Value>): Value {
  if ('broken' in result) throw invalid(result.broken);
  return result.value;
}

function makeAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    verbose: true,
    // The schema of schemas takes ten times as long to compile as one of ours. A test checks ours.
    validateSchema: false,
    // Unknown fields are removed from every object; types are never coerced.
    removeAdditional: 'all',
    useDefaults: true,
    allowUnionTypes: true,
    strictTypes: false,
    formats: Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, test])),
  });
  addOwnKeywords(ajv);
  return ajv;
}

/** Their names begin with `x-`, because openapi.json has them too, and everyone's tools pass over such names. */
function addOwnKeywords(ajv: Ajv2020): void {
  const modifying = true;
  ajv.addKeyword({ keyword: 'x-trim', type: 'string', modifying, before: 'maxLength', validate: trim });
  ajv.addKeyword({ keyword: 'x-ignored-when', type: 'object', modifying, before: 'properties', validate: ignore });
  ajv.addKeyword({ keyword: 'x-ignored-if-false', type: 'object', modifying, before: 'properties', validate: drop });
  ajv.addKeyword({ keyword: 'x-null-is-unset', type: 'object', modifying, before: 'required', validate: unset });
  ajv.addKeyword({ keyword: 'x-empty-is-unset', type: 'object', modifying, before: 'required', validate: empty });
  ajv.addKeyword({ keyword: 'x-format', type: 'string', compile: ownFormat });
  // http/door/query.ts reads it.
  ajv.addKeyword('x-free-text');
}

function ownFormat(name: string): (text: string) => boolean {
  const format = formats[name];
  if (!format) throw new Error(`There is no format ${name}.`);
  return format.test;
}

type Location = { parentData: Record<string, unknown>; parentDataProperty: string | number };

function trim(_on: boolean, text: string, _schema: unknown, place?: Location): boolean {
  if (place) place.parentData[place.parentDataProperty] = text.trim();
  return true;
}

/** Drops a field, unchecked, if another one is true and makes it meaningless. */
function ignore(fields: Record<string, string>, data: Record<string, unknown>): boolean {
  for (const [field, flag] of Object.entries(fields)) if (data[flag] === true) delete data[field];
  return true;
}

/** Drops a field of the right type if another one is false and makes it meaningless. */
function drop(fields: Record<string, string>, data: Record<string, unknown>, schema: AnySchemaObject = {}): boolean {
  for (const [field, flag] of Object.entries(fields)) {
    const isRight = schema.properties[field].type === 'integer' ? Number.isInteger : Number.isFinite;
    if (data[flag] === false && isRight(data[field])) delete data[field];
  }
  return true;
}

function unset(_on: boolean, data: Record<string, unknown>): boolean {
  for (const [field, value] of Object.entries(data)) if (value === null) delete data[field];
  return true;
}

/** Drops an empty list if another field is there that serves as well. */
function empty(fields: Record<string, string>, data: Record<string, unknown>): boolean {
  for (const [field, other] of Object.entries(fields))
    if (Array.isArray(data[field]) && data[field].length === 0 && data[other] !== undefined) delete data[field];
  return true;
}

function hasLongList(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((each) => Array.isArray(each) && each.length > brokenRulesMax)
  );
}

function brokenRules(errors: ErrorObject[]): BrokenRule[] {
  return errors.map((error) => {
    const path =
      error.keyword === 'required' ? `${error.instancePath}/${error.params.missingProperty}` : error.instancePath;
    const name = path.slice(1) || 'The body';
    return { path, rule: error.keyword.replace(/^x-/, ''), message: `${name} ${sentence(error)}.` };
  });
}

function sentence({ keyword, params, schema, parentSchema, data }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'type') return `must be ${[params.type].flat().map(article).join(' or ')}`;
  if (keyword === 'minLength') {
    // A name was trimmed, so it may have been white space.
    const nothing = parentSchema?.['x-format'] === 'name' ? 'blank' : 'empty';
    return params.limit === 1 ? `must not be ${nothing}` : `must have at least ${params.limit} characters`;
  }
  if (keyword === 'maxLength') return `must have at most ${params.limit} characters`;
  if (keyword === 'minimum') return `must be at least ${params.limit}`;
  if (keyword === 'maximum') return `must be at most ${params.limit}`;
  if (keyword === 'minItems')
    return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} items`;
  if (keyword === 'maxItems') return `must have at most ${params.limit} items`;
  if (keyword === 'enum') return `must be ${oneOf(schema as unknown[])}`;
  const message = keyword === 'pattern' ? patternMessages[params.pattern] : formats[params.format ?? schema]?.message;
  return (typeof message === 'function' ? message(String(data)) : message) ?? `breaks the rule ${keyword}`;
}

/** `"1"` is none of the numbers, and the sentence must show why. */
function oneOf(allowed: unknown[]): string {
  const shown = allowed.filter((each) => each !== '' && each !== null);
  if (shown.length === 1) return String(shown[0]);
  return `one of ${typeof shown[0] === 'number' ? 'the numbers ' : ''}${shown.join(', ')}`;
}

function article(type: string): string {
  if (type === 'null') return 'null';
  if (type === 'boolean') return 'true or false';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** NUL can't be stored, and a lone surrogate would silently turn into another character. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) if (!isWellFormed((value as Record<string, unknown>)[key])) return false;
  return true;
}

/** Where it is not. Asked only then, because an import asks for each contact, and paths are garbage. */
function illFormed(value: unknown, path: string): BrokenRule[] {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return [];
    const what = value.includes('\0') ? 'NUL (U+0000)' : 'an unpaired surrogate, which is half of a character';
    return [{ path, rule: 'wellFormed', message: `${path.slice(1) || 'The body'} must not contain ${what}.` }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => illFormed(each, `${path}/${key}`));
}

/** `''` passes, because a date may be cleared. A schema that doesn't allow that has a minLength. */
function isDate(text: string): boolean {
  return text === '' || (/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && parses(() => Temporal.PlainDate.from(text)));
}

function isDateTime(text: string): boolean {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
  return form.test(text) && parses(() => instantOf(text));
}

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** In ASCII, as URLs are sent: the caller percent-encodes everything else. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[!-~]+$/i.test(text) && URL.canParse(text);
}

/** An RFC 3339 time, rounded up to a millisecond: stored times have milliseconds, and filters are inclusive. */
export function instantOf(text: string): Date {
  const nanoseconds = Temporal.Instant.from(text.replace(/(\.\d{9})\d+/, '$1')).epochNanoseconds;
  return new Date(Number((nanoseconds > 0n ? nanoseconds + 999_999n : nanoseconds) / 1_000_000n));
}
