import type { Writable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../config.ts';
import type { Runtime } from '../runtime.ts';

/** One verb of the operator's command: a row of cli/verbs.ts. */
export type Verb = {
  /** `keys issue` */
  name: string;
  about: string;
  /** What stands without a flag, in order; all are needed. */
  operands: string[];
  options: Record<string, Option>;
  /** Verbs that need no database of ours connect by themselves, or not at all. */
  run(call: Call): Promise<unknown>;
  offline?: true;
  /** Whether this call of it needs the database; by default every call does. */
  connects?(call: Pick<Call, 'options'>): boolean;
  /** Goes on until the person ends it: a signal aborts `until`, and ending so is no failure. */
  watches?: true;
};

export type Option = {
  about: string;
  /** What its value is called in the help; without it the option is a switch. */
  value?: string;
  required?: true;
};

export type Call = {
  config: Config;
  operands: Record<string, string>;
  options: Record<string, string | undefined>;
  switches: Set<string>;
  runtime: Runtime;
  out: Output;
  streams: Streams;
  /** With --json, for what `out.records` can't print. */
  json: boolean;
  until: AbortSignal;
};

/** Where a command reads and writes; a process has them. */
export type Streams = {
  stdin: AsyncIterable<unknown>;
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
};

export type Output = {
  /** What the command exits with, unless it throws. */
  exitCode: number;
  /** The answer: on stdout, alone, so that scripts can take it. */
  line(text: string): void;
  /** Records as a table, or as JSON with --json. */
  records(rows: Record<string, unknown>[]): void;
  /** What a person watches: on stderr. */
  note(text: string): void;
  progress(label: string, done: number, total: number): void;
};

/** What the person who typed it can mend: shown without a stack, exit 2. */
export class UsageError extends Error {}

export function parseArgsOptions(verb: Verb): ParseArgsOptionsConfig {
  const own = Object.entries(verb.options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  return Object.fromEntries([...own, ['help', { type: 'boolean', short: 'h' }], ['json', { type: 'boolean' }]]);
}

export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

export function yesOrNo(name: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new UsageError(`${name} must be yes or no, not "${text}".`);
  return text === 'yes';
}

/** A secret is never an argument: those stand in the shell's history and in every process list. */
export async function secretFromStdin({ switches, streams }: Call, name: string): Promise<string | undefined> {
  if (!switches.has(name)) return undefined;
  let text = '';
  for await (const chunk of streams.stdin) text += chunk;
  return text.trim() || undefined;
}

/** What only our own authorization server can do. */
export function requireOwnServer({ config: { oauthIssuer } }: Pick<Runtime, 'config'>): void {
  if (oauthIssuer)
    throw new UsageError(`Tokens and authorizations are those of OAUTH_ISSUER, ${oauthIssuer}: turn to it.`);
}
