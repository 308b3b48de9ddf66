import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseArgs, styleText } from 'node:util';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { readSandboxFile } from '../domain/sandbox/sandbox-file.ts';
import { nearestOf } from '../domain/shared/text/distance.ts';
import type { Runtime } from '../runtime.ts';
import { complete } from './completion.ts';
import { type Description, type HelpPage, help, listOf, overview, plainPage, usage } from './help.ts';
import { makeOutput } from './output.ts';
import { inLines, safeJson } from './terminal.ts';
import { type Call, optionsOf, parseArgsOptions, type Streams, UsageError, type Verb } from './verb.ts';
import { listVerbs } from './verbs.ts';

/** Ctrl-C, a stop, and a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Env = Record<string, string | undefined>;

/** Runs the command and returns its exit code. */
export async function main(args: string[], env: Env, streams: Streams): Promise<number> {
  let verb: Verb | undefined;
  try {
    const explanation = explain(args, streams);
    if (explanation !== undefined) {
      streams.stdout.write(explanation);
      return 0;
    }
    verb = await findVerb(args);
    return await run(verb, args, env, streams);
  } catch (error) {
    const { code, message, exitCode } = await describeError(error, verb);
    const asJson = beforeDashes(args).includes('--json');
    streams.stderr.write(asJson ? `${safeJson({ error: { code, message } })}\n` : `assent: ${inLines(message)}\n`);
    return exitCode;
  }
}

/** Help and the like, from descriptions.json alone: the verbs themselves take half a second to load. */
function explain(args: string[], { stdout }: Streams): string | undefined {
  const [first, ...rest] = args;
  if (first === '__complete') return complete(rest, descriptions());
  if (first === '--version' || first === '-v') return `assent ${versionIn('../../package.json')}\n`;
  const isFlag = (word: string) => word === '--help' || word === '-h';
  const asked = beforeDashes(args);
  if (args.length > 0 && first !== 'help' && !asked.some(isFlag)) return undefined;
  return `${helpOn(
    asked.filter((word) => !word.startsWith('-') && word !== 'help'),
    pageOf(stdout),
  )}\n`;
}

function helpOn(words: string[], page: HelpPage): string {
  const verbs = descriptions();
  if (words.length === 0) return overview(verbs, page);
  const verb = verbs.find(({ name }) => beginsWith(words, name));
  if (verb) return help(verb, page);
  const [noun, ...more] = words;
  const ofNoun = verbs.filter(({ name }) => name.split(' ')[0] === noun);
  if (ofNoun.length === 0 || more.length > 0) throw unknownVerb(words);
  return listOf(ofNoun, page);
}

async function findVerb(args: string[]): Promise<Verb> {
  const verbs = await listVerbs(args[0] ?? '');
  const verb = verbs.find(({ name }) => beginsWith(args, name));
  if (verb) return verb;
  throw unknownVerb(args);
}

function unknownVerb(args: string[]): UsageError {
  const end = args.findIndex((word) => word.startsWith('-'));
  const words = args.slice(0, Math.min(end < 0 ? args.length : end, 2));
  const verbs = descriptions();
  const ofNoun = verbs.filter(({ name }) => name.split(' ')[0] === words[0]);
  if (words.length === 1 && ofNoun.length > 0)
    return new UsageError(`say what to do with ${words[0]}:\n\n${listOf(ofNoun, plainPage)}`);
  const names = verbs.map(({ name }) => name);
  const nouns = names.map((name) => name.split(' ')[0] ?? '');
  const nearest = nearestOf(words.join(' '), ofNoun.length > 0 ? ofNoun.map(({ name }) => name) : names);
  const guess = nearest ?? nearestOf(words[0] ?? '', [...new Set(nouns)]);
  const hint = guess ? ` Did you mean “${guess}”?` : '';
  return new UsageError(`there is no command “${words.join(' ') || args[0]}”.${hint} assent help lists them.`);
}

async function run(verb: Verb, args: string[], env: Env, streams: Streams): Promise<number> {
  const { values, positionals } = parse(verb, args.slice(verb.name.split(' ').length));
  const json = values.json === true;
  const out = makeOutput(streams, json);
  const ending = new AbortController();
  const operands = operandsOf(verb, positionals);
  const given = givenOf(verb, values);
  const config = commandConfig(verb, env);
  const call = { config, operands, ...given, json, out, streams, until: ending.signal };
  if (verb.isFinal?.(call) && !given.switches.has('yes') && !(await confirm(verb, streams))) {
    out.note('Nothing was changed.');
    return 1;
  }
  // A verb that is offline never uses its runtime.
  if (verb.offline || verb.connects?.(call) === false)
    await verb.run({ ...call, runtime: undefined as unknown as Runtime });
  else await runConnected(verb, call, ending);
  if (verb.says) out.note(verb.says);
  return out.exitCode;
}

async function runConnected(verb: Verb, call: Omit<Call, 'runtime'>, ending: AbortController): Promise<void> {
  const [{ requireDatabase, startRuntime }, { makeLog }] = await Promise.all([
    import('../runtime.ts'),
    import('../log.ts'),
  ]);
  requireDatabase(call.config);
  const starting = startRuntime(call.config, makeLog('silent'), call.out.note);
  // A command that is interrupted at any moment still stops the database, if it started it.
  let interrupted = false;
  const stop = () => {
    interrupted = true;
    void starting.then((runtime) => runtime.stop()).finally(() => process.exit(130));
  };
  const end = () => ending.abort();
  for (const signal of signals)
    if (verb.watches) process.on(signal, end);
    else process.once(signal, stop);
  try {
    const runtime = await starting;
    try {
      await verb.run({ ...call, runtime });
    } catch (error) {
      // What it was doing fails when the database goes, and nobody needs to be told: the exit comes at once.
      if (!interrupted) throw error;
      await new Promise(() => {});
    } finally {
      await runtime.stop();
    }
  } finally {
    for (const signal of signals) process.off(signal, end).off(signal, stop);
  }
}

/** Asks the person at the terminal; where there is none, only --yes will do. */
async function confirm({ name, about }: Verb, { stdin, stderr }: Streams): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) throw new UsageError(`${name} can’t be undone: add --yes if you are sure.`);
  stderr.write(`${about}\n`);
  const lines = createInterface({ input: stdin as NodeJS.ReadStream, output: stderr });
  const response = await lines.question('This can’t be undone. Go ahead? [y/N] ').finally(() => lines.close());
  return /^y(es)?$/i.test(response.trim());
}

function parse(verb: Verb, args: string[]) {
  try {
    return parseArgs({ args, options: parseArgsOptions(verb), allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [, name] = /'(-[^']*)'/.exec(message) ?? [];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || !name) throw new UsageError(`${message}\n\n${usage(verb)}`);
    const nearest = nearestOf(name, Object.keys(optionsOf(verb)));
    const hint = nearest ? ` Did you mean --${nearest}?` : '';
    throw new UsageError(`${verb.name} has no option ${name}.${hint}\n\n${usage(verb)}`);
  }
}

function operandsOf(verb: Verb, positionals: string[]): Call['operands'] {
  const { operands = [] } = verb;
  const required = operands.filter((name) => !name.startsWith('['));
  if (positionals.length < required.length || positionals.length > operands.length)
    throw new UsageError(`usage: ${usage(verb)}`);
  return Object.fromEntries(
    positionals.map((value, index) => [(operands[index] ?? '').replace(/^\[|\]$/g, ''), value]),
  );
}

function givenOf(verb: Verb, values: Record<string, unknown>): Pick<Call, 'options' | 'switches'> {
  const { json: _, ...known } = optionsOf(verb);
  for (const [name, { required, oneOf }] of Object.entries(known)) {
    const value = values[name];
    if (required && value === undefined) throw new UsageError(`--${name} is required.\n\n${usage(verb)}`);
    if (!oneOf || value === undefined || oneOf.includes(String(value))) continue;
    const words = oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`;
    throw new UsageError(`--${name} must be ${words}, not "${value}".`);
  }
  const given = Object.entries(values).filter(([name]) => name in known);
  return {
    options: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Record<string, string>,
    switches: new Set(given.filter(([, value]) => value === true).map(([name]) => name)),
  };
}

const longStatementMs = 60_000;

/** Unless an address is set, a command uses the address of the sandbox that is running, from its file. */
function commandConfig({ isLong }: Verb, env: Env): Config {
  const config = readConfig(env);
  const sandbox = config.environment === 'sandbox' && !config.addressGiven ? readSandboxFile(config.dataDir) : null;
  const { publicUrl, databaseTimeoutMs } = config;
  return {
    ...config,
    publicUrl: sandbox ? new URL(sandbox.baseUrl).origin : publicUrl,
    databaseTimeoutMs: isLong ? Math.max(databaseTimeoutMs, longStatementMs) : databaseTimeoutMs,
  };
}

/** Errors that a person fixes by retyping the command or setting a variable exit with 2, all others with 1. */
async function describeError(error: unknown, verb: Verb | undefined) {
  if (error instanceof UsageError) return { code: 'usage', message: error.message, exitCode: verb?.failsWith ?? 2 };
  // Loaded already, unless a setting is wrong.
  const [{ NoDatabase, explain: reasonOf }, { Problem }] = await Promise.all([
    import('../runtime.ts'),
    import('../domain/problems.ts'),
  ]);
  if (error instanceof NoDatabase) return { code: 'no_database', message: reasonOf(error), exitCode: 2 };
  if (error instanceof ConfigError)
    return { code: 'configuration', message: error.message, exitCode: verb?.failsWith ?? 2 };
  const exitCode = verb?.failsWith ?? 1;
  if (error instanceof Problem) return { code: error.code, message: error.message, exitCode };
  return { code: 'failed', message: reasonOf(error), exitCode };
}

function descriptions(): Description[] {
  return JSON.parse(readFileSync(new URL('descriptions.json', import.meta.url), 'utf8'));
}

function versionIn(path: string): string {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
}

const columnsMax = 100;

function pageOf(stdout: Streams['stdout']): HelpPage {
  if (!stdout.isTTY) return plainPage;
  const columns = Math.min(stdout.columns || plainPage.columns, columnsMax);
  return { columns, heading: (text) => styleText('bold', text) };
}

function beginsWith(words: string[], name: string): boolean {
  return name.split(' ').every((word, index) => words[index] === word);
}

function beforeDashes(args: string[]): string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

if (import.meta.main)
  main(process.argv.slice(2), process.env, process).then((code) => {
    // At once, whatever is still open: a server that couldn't start must end, or nothing restarts it.
    if (code !== 0) process.exit(code);
  });
