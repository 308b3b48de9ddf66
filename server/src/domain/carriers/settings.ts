import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { CarrierKind, CarrierSettings } from '../ports.ts';
import { problem } from '../problems.ts';

/** What stands for a secret in everything that is shown. Given back, it means the secret that is there. */
export const hidden = '(hidden)';

const common = { answersKeywords: { type: 'boolean' } };

// As in schemas/shared/validate.ts: the schema of schemas takes longer than all of ours, and a test checks ours.
const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false });
const validators = new WeakMap<CarrierKind, ValidateFunction>();

/** Throws a problem that names everything that is wrong. */
export function checkSettings(kind: CarrierKind, settings: unknown): asserts settings is CarrierSettings {
  const validate = validatorOf(kind);
  if (validate(settings)) return;
  const broken = (validate.errors ?? []).map(sentenceOf);
  throw problem('invalid_request', `The settings can’t be used: ${[...new Set(broken)].join('; ')}.`);
}

function validatorOf(kind: CarrierKind): ValidateFunction {
  const known = validators.get(kind);
  if (known) return known;
  const schema = kind.schema as { properties?: object };
  const validate = ajv.compile({ ...schema, properties: { ...schema.properties, ...common } });
  validators.set(kind, validate);
  return validate;
}

function sentenceOf({ instancePath, keyword, message, params }: ErrorObject): string {
  const where = instancePath.slice(1);
  const within = where ? ` of ${where}` : '';
  if (keyword === 'additionalProperties') return `there is no setting ${params.additionalProperty}${within}`;
  if (keyword === 'required') return `${params.missingProperty}${within} is missing`;
  const allowed = keyword === 'enum' ? ` (${params.allowedValues.join(', ')})` : '';
  return `${where || 'it'} ${message}${allowed}`;
}

export function withoutSecrets({ secrets }: CarrierKind, settings: CarrierSettings): CarrierSettings {
  return mapSecrets(secrets, settings, () => hidden);
}

/** Changes some settings: null removes one, and a secret that is hidden stays as it was. */
export function changedSettings(
  { secrets }: CarrierKind,
  before: CarrierSettings,
  change: CarrierSettings,
): CarrierSettings {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return mapSecrets(secrets, Object.fromEntries(merged), (value, path) =>
    value === hidden ? at(before, path) : value,
  );
}

type Path = (string | number)[];

function mapSecrets(
  secrets: string[],
  settings: CarrierSettings,
  change: (value: unknown, path: Path) => unknown,
): CarrierSettings {
  const isSecret = (path: Path) =>
    secrets.includes(path.map((part) => (typeof part === 'number' ? '*' : part)).join('.'));
  const visit = (value: unknown, path: Path): unknown => {
    if (value !== undefined && isSecret(path)) return change(value, path);
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visit(each, [...path, name])]));
  };
  return visit(settings, []) as CarrierSettings;
}

function at(settings: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | undefined)?.[part],
    settings,
  );
}
