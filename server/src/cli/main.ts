import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config.ts';
import { Problem } from '../domain/problems.ts';
import { makeLog } from '../log.ts';
import { explain, type Runtime, startRuntime } from '../runtime.ts';
import { readSandboxFile } from '../sandbox/sandbox-file.ts';
import { help, overview, usage } from './help.ts';
import { makeOutput } from './output.ts';
import { type Call, parseArgsOptions, UsageError, type Verb } from './verb.ts';
import { verbs } from './verbs.ts';

const words = process.argv.slice(2);
run(words).catch((error) => {
  // The two that a person mends by typing again or setting a variable exit 2, everything else 1.
  const theirs = error instanceof UsageError || error instanceof ConfigError;
  const message = theirs || error instanceof Problem ? error.message : explain(error);
  process.stderr.write(`assent: ${message}\n`);
  process.exitCode = theirs ? 2 : 1;
});

async function run(args: string[]): Promise<void> {
  const verb = findVerb(args);
  if (!verb) return explainVerbs(args);
  const rest = args.slice(verb.name.split(' ').length);
  const { values, positionals } = parse(verb, rest);
  const out = makeOutput(values.json === true);
  if (values.help) return out.line(help(verb));

  const ending = new AbortController();
  const until = ending.signal;
  const json = values.json === true;
  const call = { operands: operandsOf(verb, positionals), ...optionsOf(verb, values), json, out, until };
  const config = commandConfig();
  // A verb that is offline never looks at its runtime.
  if (verb.offline || verb.connects?.(call) === false)
    return void (await verb.run({ ...call, config, runtime: undefined as unknown as Runtime }));
  const starting = startRuntime(config, makeLog('silent'), out.note);
  // Cut off, at whatever moment, a command still leaves the database as it found it: stopped, if it started it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    if (verb.watches) process.on(signal, () => ending.abort());
    else process.once(signal, () => starting.then((runtime) => runtime.stop()).finally(() => process.exit(130)));
  const runtime = await starting;
  try {
    await verb.run({ ...call, config, runtime });
  } finally {
    await runtime.stop();
  }
}

function findVerb(args: string[]): Verb | undefined {
  return verbs.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

function explainVerbs(args: string[]): void {
  const [noun = ''] = args;
  const ofNoun = verbs.filter(({ name }) => name.split(' ')[0] === noun);
  const asked = args.length === 0 || ['help', '--help', '-h'].includes(args.at(-1) ?? '');
  const shown = ofNoun.length > 0 ? overview(ofNoun) : overview(verbs);
  if (!asked) throw new UsageError(`there is no verb "${args.join(' ')}".\n\n${shown}`);
  process.stdout.write(`${shown}\n`);
}

function parse(verb: Verb, args: string[]) {
  try {
    return parseArgs({ args, options: parseArgsOptions(verb), allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage(verb)}`);
  }
}

function operandsOf(verb: Verb, positionals: string[]): Call['operands'] {
  if (positionals.length !== verb.operands.length) throw new UsageError(`usage: ${usage(verb)}`);
  return Object.fromEntries(verb.operands.map((name, index) => [name, positionals[index] ?? '']));
}

function optionsOf(verb: Verb, values: Record<string, unknown>): Pick<Call, 'options' | 'switches'> {
  for (const [name, { required }] of Object.entries(verb.options))
    if (required && values[name] === undefined) throw new UsageError(`--${name} is needed.\n\n${usage(verb)}`);
  const given = Object.entries(values).filter(([name]) => name in verb.options);
  return {
    options: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Record<string, string>,
    switches: new Set(given.filter(([, value]) => value === true).map(([name]) => name)),
  };
}

/** A command speaks for the sandbox that runs: unless an address is given, for the one that its file names. */
function commandConfig() {
  const config = readConfig();
  const sandbox = config.environment === 'sandbox' && !config.addressGiven ? readSandboxFile(config.dataDir) : null;
  return sandbox ? { ...config, publicUrl: new URL(sandbox.baseUrl).origin } : config;
}
