import type { Writable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../config.ts';
import type { Runtime } from '../runtime.ts';

/** A verb of the operator's command: a row of cli/verbs.ts. */
export type Verb = {
  /** `keys issue` */
  name: string;
  about: string;
  /** Positional arguments, in order. Those in brackets, which are last, may be left out: `[URL]`. */
  operands?: string[];
  options?: Record<string, Option>;
  /** Calls to copy, without `assent`; by default one is made from what the verb requires. */
  examples?: string[];
  run(call: Call): Promise<unknown>;
  /** What the person is told once it has run. */
  says?: string;
  /** It can't be undone: it asks first, or takes --yes. */
  isFinal?(call: Pick<Call, 'switches'>): boolean;
  /** It needs no database connection, or opens its own. */
  offline?: true;
  /** Whether this call needs the database; by default every call does. */
  connects?(call: Pick<Call, 'options'>): boolean;
  /** The exit code if it fails, where 1 and 2 are findings. */
  failsWith?: number;
  /** Goes through everything, so its statements may take longer than a request's: a minute, if DATABASE_TIMEOUT_MS is not more. */
  isLong?: true;
  /** Runs until the person stops it: a signal aborts `until`, and that is not a failure. */
  watches?: true;
};

export type Option = {
  about: string;
  /** The value's name in the help; an option without a value is a switch. */
  value?: string;
  /** The only values that it takes. */
  oneOf?: readonly string[];
  required?: true;
};

export const yesOrNo = ['yes', 'no'] as const;

/** For verbs that can never be undone. */
export const always = () => true;

export type Call = {
  config: Config;
  operands: Record<string, string>;
  options: Record<string, string | undefined>;
  switches: Set<string>;
  runtime: Runtime;
  out: Output;
  streams: Streams;
  /** Whether --json was given, for output that isn't `out.records`. */
  json: boolean;
  until: AbortSignal;
};

/** Where a command reads and writes; usually the process's own streams. */
export type Streams = {
  stdin: AsyncIterable<unknown> & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
};

export type Output = {
  /** The command's exit code, unless it throws. */
  exitCode: number;
  /** The response: nothing else goes to stdout, so scripts can use it. */
  line(text: string): void;
  /** Records as a table, or as JSON with --json. */
  records(rows: Record<string, unknown>[]): void;
  /** A message for the person who is watching, on stderr. */
  note(text: string): void;
  /** Without a total, it counts. */
  progress(label: string, done: number, total: number | null): void;
};

/** An error that the person who typed the command can fix: shown without a stack, exit 2. */
export class UsageError extends Error {}

/** Its own options, and those that it has because of what it is. */
export function optionsOf({ options = {}, isFinal }: Pick<Verb, 'options' | 'isFinal'>): Record<string, Option> {
  return {
    ...options,
    ...(isFinal && { yes: { about: 'Go ahead without asking, because this can’t be undone.' } }),
    json: { about: 'Print records as JSON, and errors too.' },
  };
}

export function parseArgsOptions(verb: Pick<Verb, 'options' | 'isFinal'>): ParseArgsOptionsConfig {
  const known = Object.entries(optionsOf(verb));
  return Object.fromEntries(known.map(([name, option]) => [name, { type: valueIn(option) ? 'string' : 'boolean' }]));
}

export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

/** The firm that is named as an operand. */
export function firmIn({ FIRM = '' }: Call['operands']): number {
  return wholeNumber('FIRM', FIRM);
}

/** Of a verb that changes what its options name. */
export function requireChange(change: object): void {
  if (Object.values(change).every((value) => value === undefined))
    throw new UsageError('Name at least one setting to change.');
}

/** An option's value in the help. */
export function valueIn({ oneOf, value = oneOf?.join('|') }: Option): string | undefined {
  return value;
}

/** Undefined if it isn't given. */
export function isYes(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'yes';
}

/** Secrets are never arguments, because those end up in the shell's history and in process lists. */
export async function secretFromStdin({ switches, streams }: Call, name: string): Promise<string | undefined> {
  if (!switches.has(name)) return undefined;
  let text = '';
  for await (const chunk of streams.stdin) text += chunk;
  return text.trim() || undefined;
}
