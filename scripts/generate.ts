// Writes what is generated from the code: openapi.json, server/schema.sql, tables of the reference and the table of
// imports in ARCHITECTURE.md. With --check it only compares, and fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrows, ground } from '../server/arrows.ts';
import { help, overview } from '../server/src/cli/help.ts';
import { listVerbs } from '../server/src/cli/verbs.ts';
import { readConfig, root, settings } from '../server/src/config.ts';
import { problemCodes, problems } from '../server/src/domain/problems.ts';
import { enumerations } from '../server/src/domain/shared/enumerations.ts';
import { failureCodeNames, failureCodes } from '../server/src/domain/shared/failure-codes.ts';
import { partnerDocument } from '../server/src/http/openapi/partner.ts';
import { routes } from '../server/src/http/partner/routes.ts';
import { startTemporary } from '../server/src/store/database/embedded.ts';
import { describeSchema } from '../server/src/store/database/schema/describe-schema.ts';
import { ensureDatabase, migrate } from '../server/src/store/database/schema/migrate.ts';
import { makeDatabase } from '../server/test/support/database.ts';

const generated = {
  'openapi.json': openapi(),
  'server/schema.sql': await schema(),
  'docs/reference/configuration.md': configuration(),
  'docs/reference/errors.md': errors(),
  'docs/reference/enumerations.md': enumerationTables(),
  'docs/reference/command.md': await command(),
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
  const sections = Object.entries(enumerations).map(([name, words]) => {
    const rows = Object.entries(words).map(([value, text]) => [value, text]);
    return `## ${name}\n\n${table(['value', 'word'], rows)}`;
  });
  const failures = failureCodeNames.map((code) => [`\`${code}\``, failureCodes[code].cause, failureCodes[code].next]);
  return page(
    'Enumerations',
    'The numbered values, which `GET /v1/core/enumerations` serves too, and [why a text didn’t arrive](#failurecode-and-reason).',
    [
      ...sections,
      `## failureCode and reason\n\nThe \`failureCode\` of a text that is \`failed\` or \`undelivered\`, and the \`reason\` of a scheduled message that was skipped. The list is closed: what a carrier calls it is mapped to one of these, and its own code is beside it in the archive, as \`carrierCode\`.\n\n${table(['code', 'cause', 'what to do'], failures)}`,
    ].join('\n'),
  );
}

async function command(): Promise<string> {
  const verbs = await listVerbs();
  const sections = verbs.map((verb) => `## assent ${verb.name}\n\n\`\`\`\n${help(verb)}\n\`\`\`\n`);
  return page(
    'The operator’s command',
    'In a checkout, run `npm run -s assent -- <verb> …`. Results go to stdout; notes, progress and errors go to stderr. The exit code is 0, or 1 if something failed, or 2 if the command line is wrong or there is no database to look at.',
    `\`\`\`\n${overview(verbs)}\n\`\`\`\n\n${sections.join('\n')}`,
  );
}

/** The page as it is, with a fresh table between its markers. */
function architecture(): string {
  const text = read('ARCHITECTURE.md');
  const between = /(?<=<!-- arrows -->\n).*(?=<!-- \/arrows -->)/s;
  if (!between.test(text))
    throw new Error('ARCHITECTURE.md has no <!-- arrows --> … <!-- /arrows --> to write between.');
  const rows = Object.entries(arrows).map(([room, allowed]) => [code(room), mayImport(allowed)]);
  const written = `\nThe *ground* is ${code(ground)}.\n\n${table(['room', 'may import'], rows)}\n`;
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
