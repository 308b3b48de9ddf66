// Writes what is generated from the code: openapi.json, server/schema.sql, server/verify.mjs, the command's
// descriptions, tables of the reference and the table of imports in ARCHITECTURE.md. With --check it only compares, and fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedImports, ground } from '../server/allowed-imports.ts';
import { describeClientTypes } from '../server/client-types.ts';
import { describeSchema } from '../server/describe-schema.ts';
import { describe } from '../server/src/cli/help.ts';
import { listVerbs } from '../server/src/cli/verbs.ts';
import { readConfig, root, settings } from '../server/src/config.ts';
import { problemCodes, problems } from '../server/src/domain/problems.ts';
import { magicNumbers } from '../server/src/domain/sandbox/magic-numbers.ts';
import { enumerations } from '../server/src/domain/shared/enumerations.ts';
import { failureCodeNames, failureCodes } from '../server/src/domain/shared/failure-codes.ts';
import { partnerDocument } from '../server/src/http/openapi/partner.ts';
import { routes } from '../server/src/http/partner/routes.ts';
import { ensureDatabase, migrate } from '../server/src/store/database/schema/migrate.ts';
import { makeDatabase } from '../server/test/support/database.ts';
import { startTemporary } from '../server/test/support/temporary-postgres.ts';
import { verbsOfPages, verbsWithoutPage } from '../server/verb-pages.ts';
import { examinerProgram } from './examiner-program.ts';

const generated = {
  'openapi.json': openapi(),
  'sdk/src/openapi.ts': await describeClientTypes(openapi()),
  'server/schema.sql': await schema(),
  'server/verify.mjs': examinerProgram(),
  'docs/reference/configuration.md': configuration(),
  'docs/reference/errors.md': errors(),
  'docs/reference/enumerations.md': enumerationTables(),
  'docs/reference/command.md': command(),
  'docs/reference/magic-numbers.md': magicNumberTable(),
  'server/src/cli/descriptions.json': await descriptions(),
  'ARCHITECTURE.md': architecture(),
};

const stale = Object.entries(generated).filter(([path, text]) => read(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stderr.write(`${path} is out of date: run \`npm run generate\`.\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
  process.stdout.write(
    stale.length > 0 ? `Wrote ${stale.map(([path]) => path).join(', ')}.\n` : 'Everything is up to date.\n',
  );
}

function read(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

/** As the default sandbox serves it. */
function openapi(): string {
  return `${JSON.stringify(partnerDocument(readConfig({}), routes), null, 2)}\n`;
}

/** In a test run the schema is that of the migrated template; otherwise a PostgreSQL is started for it. */
async function schema(): Promise<string> {
  if (process.env.ASSENT_TEST_DATABASE) {
    const database = await makeDatabase();
    return await describeSchema(database.url).finally(database.drop);
  }
  const embedded = await startTemporary();
  try {
    await ensureDatabase(embedded.url('postgres'), 'assent');
    await migrate(embedded.url('assent'));
    return await describeSchema(embedded.url('assent'));
  } finally {
    await embedded.stop();
  }
}

function configuration(): string {
  const rows = Object.values(settings).map(({ name, default: value, about }) => [
    `\`${name}\``,
    value === '' ? 'none' : `\`${value}\``,
    about,
  ]);
  return page(
    'Configuration',
    'Settings are environment variables, read once at startup. If one is invalid, the server doesn’t start, and the error names it. An empty one counts as unset.',
    table(['setting', 'default', 'meaning'], rows),
  );
}

function errors(): string {
  const rows = problemCodes.map((code) => {
    const { status, retryable, when, next } = problems[code];
    return [`\`${code}\``, String(status), retryable ? 'yes' : 'no', when, next];
  });
  return page(
    'Errors',
    'Every error from `/v1` is a Problem (`application/problem+json`) with one of these codes. Its `type` is the URL of a page with the same text. For bad input, `details` has `{path, rule, message}` for each broken rule; otherwise it is an object of facts. `traceId` is also in the header `x-trace-id`; quote it to support.',
    table(['code', 'status', 'retryable', 'when', 'what to do next'], rows),
  );
}

function enumerationTables(): string {
  const rows = Object.entries(enumerations).map(([name, words]) => [
    code(name),
    Object.entries(words)
      .map(([value, text]) => `${value} ${text}`)
      .join(', '),
  ]);
  const failures = failureCodeNames.map((code) => [`\`${code}\``, failureCodes[code].cause, failureCodes[code].next]);
  return page(
    'Enumerations',
    'The numbered values, which `GET /v1/core/enumerations` serves too, and [why a text didn’t arrive](#failurecode-and-reason).',
    `${table(['field', 'values'], rows)}\nSources 10 and 11 are reserved.\n\n## failureCode and reason\n\nThe \`failureCode\` of a text that is \`failed\` or \`undelivered\`, and the \`reason\` of a scheduled message that was skipped. The list is closed; the carrier’s own code is in the archive, as \`carrierCode\`.\n\n${table(['code', 'cause', 'what to do'], failures)}`,
  );
}

function magicNumberTable(): string {
  const rows = magicNumbers
    .map(({ phone, about }) => [phone, about])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return page(
    'Magic numbers',
    'The sandbox’s phones with a behavior of their own, the same for every advisor. Any other number receives what you send it, and answers what you make it answer.',
    table(['number', 'what it does'], rows),
  );
}

/** A line per verb, so that two changes rarely meet. */
async function descriptions(): Promise<string> {
  const lines = (await listVerbs()).map((verb) => JSON.stringify(describe(verb)));
  return `[\n${lines.join(',\n')}\n]\n`;
}

function command(): string {
  return page(
    'The command',
    'In a checkout, run `npx --no-install assent`, or put `node_modules/.bin` into your `PATH`. `assent help` lists the commands, and `assent help VERB` is the reference: what a verb does, its options and an example.',
    [
      'Results go to stdout; notes, progress and errors go to stderr. With `--json`, records are JSON, and the last line of stderr is `{"error": {"code", "message"}}` if something failed. The exit code is 0, 1 if something failed, or 2 if the command line or a setting is wrong, or no database is named. What can’t be undone asks first; a script says `--yes`.\n',
      `## Pages that do the same\n\nStaff do most of it in the console, by the same rules; entries in the archive then say who.\n\n${pageTable()}`,
    ].join('\n'),
  );
}

function pageTable(): string {
  return table(
    ['page', 'commands'],
    [
      ...Object.entries(verbsOfPages).map(([path, verbs]) => [code(`/console${path}`), byNoun(verbs)]),
      ...Object.entries(verbsWithoutPage).map(([why, verbs]) => [`none: ${why}`, byNoun(verbs)]),
    ],
  );
}

/** `keys list` and `keys revoke` are "`keys` list, revoke". */
function byNoun(verbs: readonly string[]): string {
  const nouns = Map.groupBy(verbs, (verb) => verb.split(' ')[0] ?? '');
  const each = [...nouns].map(([noun, those]) => {
    const rest = those.map((verb) => verb.slice(noun.length + 1)).filter(Boolean);
    return rest.length > 0 ? `\`${noun}\` ${rest.join(', ')}` : `\`${noun}\``;
  });
  return each.join('; ');
}

/** The page as it is, with a fresh table between its markers. */
function architecture(): string {
  const text = read('ARCHITECTURE.md');
  const between = /(?<=<!-- allowed imports -->\n).*(?=<!-- \/allowed imports -->)/s;
  if (!between.test(text))
    throw new Error('ARCHITECTURE.md has no <!-- allowed imports --> … <!-- /allowed imports --> to write between.');
  const rows = Object.entries(allowedImports).map(([folder, allowed]) => [code(folder), mayImport(allowed)]);
  const written = `\nThe *ground* is ${code(ground)}.\n\n${table(['folder', 'may import'], rows)}\n`;
  return text.replace(between, () => written);
}

function mayImport(allowed: string): string {
  const others = allowed.replace(ground, '').trim();
  const names = [allowed.startsWith(ground) ? 'the *ground*' : '', code(others)];
  return names.filter(Boolean).join(', ') || 'nothing';
}

function code(names: string): string {
  const each = names.split(' ').filter(Boolean);
  return each.map((name) => `\`${name}\``).join(', ');
}

function page(title: string, introduction: string, content: string): string {
  return `# ${title}\n\n<!-- Generated from the code by \`npm run generate\`. -->\n\n${introduction}\n\n${content}`;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((each) => each.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(head), `|${head.map(() => '---').join('|')}|\n`, ...rows.map(line)].join('');
}
