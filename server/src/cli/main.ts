import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { Problem } from '../domain/problems.ts';
import { readSandboxFile } from '../domain/sandbox/sandbox-file.ts';
import { makeLog } from '../log.ts';
import { explain, NoDatabase, type Runtime, requireDatabase, startRuntime } from '../runtime.ts';
import { help, overview, usage } from './help.ts';
import { makeOutput } from './output.ts';
import { type Call, parseArgsOptions, type Streams, UsageError, type Verb } from './verb.ts';
import { listVerbs } from './verbs.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

type Env = Record<string, string | undefined>;

/** Runs the command and returns its exit code. */
export async function main(args: string[], env: Env, streams: Streams): Promise<number> {
  const verb = await findVerb(args);
  try {
    return await (verb ? run(verb, args, env, streams) : explainVerbs(args, streams));
  } catch (error) {
    // Errors that a person fixes by retyping the command or setting a variable exit with 2, all others with 1.
    const isUsage = error instanceof UsageError || error instanceof ConfigError;
    const message = isUsage || error instanceof Problem ? error.message : explain(error);
    streams.stderr.write(`assent: ${message}\n`);
    if (error instanceof NoDatabase) return 2;
    return verb?.failsWith ?? (isUsage ? 2 : 1);
  }
}

async function run(verb: Verb, args: string[], env: Env, streams: Streams): Promise<number> {
  const rest = args.slice(verb.name.split(' ').length);
  const { values, positionals } = parse(verb, rest);
  const out = makeOutput(streams, values.json === true);
  if (values.help) {
    out.line(help(verb));
    return 0;
  }

  const ending = new AbortController();
  const json = values.json === true;
  const operands = operandsOf(verb, positionals);
  const options = optionsOf(verb, values);
  const config = commandConfig(verb, env);
  const call = { config, operands, ...options, json, out, streams, until: ending.signal };
  // A verb that is offline never uses its runtime.
  if (verb.offline || verb.connects?.(call) === false)
    await verb.run({ ...call, runtime: undefined as unknown as Runtime });
  else await runConnected(verb, call, ending);
  if (verb.says) out.note(verb.says);
  return out.exitCode;
}

async function runConnected(verb: Verb, call: Omit<Call, 'runtime'>, ending: AbortController): Promise<void> {
  requireDatabase(call.config);
  const starting = startRuntime(call.config, makeLog('silent'), call.out.note);
  // A command that is interrupted at any moment still stops the database, if it started it.
  const stop = () => void starting.then((runtime) => runtime.stop()).finally(() => process.exit(130));
  const end = () => ending.abort();
  for (const signal of signals)
    if (verb.watches) process.on(signal, end);
    else process.once(signal, stop);
  try {
    const runtime = await starting;
    try {
      await verb.run({ ...call, runtime });
    } finally {
      await runtime.stop();
    }
  } finally {
    for (const signal of signals) process.off(signal, end).off(signal, stop);
  }
}

async function findVerb(args: string[]): Promise<Verb | undefined> {
  const verbs = await listVerbs(args[0] ?? '');
  return verbs.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

async function explainVerbs(args: string[], { stdout }: Streams): Promise<number> {
  const [noun = ''] = args;
  const ofNoun = await listVerbs(noun);
  const asked = args.length === 0 || ['help', '--help', '-h'].includes(args.at(-1) ?? '');
  const shown = overview(ofNoun.length > 0 ? ofNoun : await listVerbs());
  if (!asked) throw new UsageError(`there is no verb "${args.join(' ')}".\n\n${shown}`);
  stdout.write(`${shown}\n`);
  return 0;
}

function parse(verb: Verb, args: string[]) {
  try {
    return parseArgs({ args, options: parseArgsOptions(verb), allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage(verb)}`);
  }
}

function operandsOf(verb: Verb, positionals: string[]): Call['operands'] {
  const { operands = [] } = verb;
  if (positionals.length !== operands.length) throw new UsageError(`usage: ${usage(verb)}`);
  return Object.fromEntries(operands.map((name, index) => [name, positionals[index] ?? '']));
}

function optionsOf(verb: Verb, values: Record<string, unknown>): Pick<Call, 'options' | 'switches'> {
  const known = verb.options ?? {};
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

if (import.meta.main)
  main(process.argv.slice(2), process.env, process).then((code) => {
    // At once, whatever is still open: a server that couldn't start must end, or nothing restarts it.
    if (code !== 0) process.exit(code);
  });
