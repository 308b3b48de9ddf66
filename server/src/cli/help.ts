import { type Option, optionsOf, type Verb, valueIn } from './verb.ts';

/** What the help and the shells know of a verb: a line of cli/descriptions.json, which `npm run generate` writes. */
export type Description = Pick<Verb, 'name' | 'about'> & {
  operands: string[];
  options: Record<string, Option>;
  examples: string[];
};

type Row = [name: string, about: string];

/** How wide a line may be, and how a heading looks. */
export type HelpPage = { columns: number; heading(text: string): string };

/** Also for files: 80 columns and nothing bold. */
export const plainPage: HelpPage = { columns: 80, heading: (text) => text };

/** The whole command on one screen: whom each word is for, and what one does with it. */
const topics: [audience: string, [words: string, about: string][]][] = [
  [
    'For partners, who build on the API',
    [
      ['token', 'Get an access token for an advisor.'],
      ['example', 'Start from a small web application that works.'],
      ['webhooks listen trigger', 'Have events pushed to you, on your own machine too.'],
      ['logs', 'See each call that your program made, and its response.'],
      ['sandbox', 'Put the sandbox back to its first day, or fill it.'],
    ],
  ],
  [
    'For operators, who run it',
    [
      ['serve migrate', 'Start the server, and update its database.'],
      ['status doctor clock', 'Check its health, and see what to fix.'],
      ['firms advisors staff', 'Add the people who text, and those who supervise.'],
      ['carriers numbers texts', 'Connect carriers, assign numbers, watch texts being sent.'],
      ['applications keys', 'Decide which programs may call, and how often.'],
      ['signing-keys secrets', 'Replace the keys that sign tokens and seal secrets.'],
      ['contacts content crm', 'Bring in contacts and content, or connect a CRM.'],
    ],
  ],
  [
    'For compliance, who answer for it',
    [
      ['consents wordings', 'Show who agreed to what, and choose how we ask.'],
      ['reviews lexicons', 'Decide about held texts, and choose what is held.'],
      ['archive retention holds', 'Prove the record, hand it over, and keep it.'],
    ],
  ],
];

const beyond = [
  'Where to go from here',
  [
    ['assent help token', 'Explain a command, with an example.'],
    ['assent help keys', 'List what you can do with keys.'],
    ['assent completion bash', 'Let Tab finish your words; zsh and fish work too.'],
    ['assent --version', 'Print the version.'],
  ] as Row[],
] as const;

export function overview(verbs: Pick<Verb, 'name'>[], page: HelpPage): string {
  const known = new Set(verbs.map(({ name }) => name.split(' ')[0]));
  const rowsOf = (lines: [words: string, about: string][]) =>
    lines.flatMap(([words, about]): Row[] => {
      const shown = words.split(' ').filter((word) => known.has(word));
      return shown.length > 0 ? [[shown.join(', '), about]] : [];
    });
  const sections = [...topics.map(([audience, lines]) => [audience, rowsOf(lines)] as const), beyond];
  const left = Math.max(...sections.flatMap(([, rows]) => rows.map(([name]) => name.length)));
  return [
    wrap('Assent sends the texts that people agreed to get, and keeps the record that proves it.', page),
    ...sections.map(([title, rows]) => `${page.heading(title)}\n${columnsOf(rows, page, left)}`),
    wrap('Settings come from the environment: docs/reference/configuration.md lists them.', page),
  ].join('\n\n');
}

/** The verbs that begin with a word, each with its first sentence. */
export function listOf(verbs: Description[], page: HelpPage): string {
  const rows = verbs.map(({ name, about }): Row => [`assent ${name}`, firstSentence(about)]);
  return `${columnsOf(rows, page)}\n\n${wrap(`assent help ${verbs[0]?.name} explains one of them.`, page)}`;
}

export function help(verb: Description, page: HelpPage): string {
  const rows = Object.entries(verb.options).map(
    ([name, option]): Row => [flagOf(name, option), `${option.about}${option.required ? ' Required.' : ''}`],
  );
  return [
    wrap(usage(verb), page, '    '),
    wrap(verb.about, page),
    `${page.heading('Options')}\n${columnsOf(rows, page)}`,
    [
      page.heading(verb.examples.length > 1 ? 'Examples' : 'Example'),
      ...verb.examples.map((each) => inLines(`  assent ${each}`, page)),
    ].join('\n'),
  ].join('\n\n');
}

/** The verb, its operands and what it requires; the rest is below. */
export function usage({
  name: verb,
  operands = [],
  options = {},
}: Pick<Verb, 'name' | 'operands' | 'options'>): string {
  const required = Object.entries(options).filter(([, option]) => option.required);
  return ['assent', verb, ...operands, ...required.map((each) => flagOf(...each)), '[options]'].join(' ');
}

export function describe(verb: Verb): Description {
  const { name, about, operands = [], examples = [exampleOf(verb)] } = verb;
  return { name, about, operands, options: optionsOf(verb), examples };
}

export function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
}

/** Values that make an example, by the name of an option, or by what an operand or a value is called. */
const samples: Record<string, string> = {
  '--by': 'dana@example.com',
  '--years': '7',
  '--reason': "'Matter 2026-117'",
  ADVISOR: 'avery@sandbox.example',
  'EMAIL|ID': 'avery@sandbox.example',
  STAFF: 'dana@example.com',
  'CLIENT-ID': 'app_sandbox_x7k2',
  FIRM: '1',
  KEY: '3',
  ID: '12',
  HOLD: '4',
  KEEP: '801',
  OTHER: '802',
  NUMBER: '+12125550100',
  PHONE: '+12125550123',
  TEXT: "'Spoke with the client'",
  URL: 'https://example.com/hook',
};

/** A call with a value for everything that the verb requires. */
function exampleOf(verb: Verb): string {
  const required = Object.entries(verb.options ?? {}).filter(([, option]) => option.required);
  const values = required.map(([name, option]) => {
    const value = samples[`--${name}`] ?? option.oneOf?.[0] ?? sampleOf(option.value ?? '');
    return `--${name} ${value}`;
  });
  const isFinal = verb.isFinal?.({ switches: new Set() }) ? ['--yes'] : [];
  const operands = (verb.operands ?? []).filter((name) => !name.startsWith('['));
  return [verb.name, ...operands.map(sampleOf), ...values, ...isFinal].join(' ');
}

function sampleOf(name: string): string {
  return samples[name] ?? name.split('|')[0] ?? '';
}

function flagOf(name: string, option: Option): string {
  return [`--${name}`, valueIn(option)].filter(Boolean).join(' ');
}

/** Two columns. */
function columnsOf(rows: Row[], page: HelpPage, left = Math.max(...rows.map(([name]) => name.length))): string {
  const indent = ' '.repeat(left + 4);
  return rows
    .map(([name, about]) => `  ${name.padEnd(left)}  ${wrap(indent + about, page, indent).slice(indent.length)}`)
    .join('\n');
}

/** Breaks a text into lines; those after the first begin with the indent. */
function wrap(text: string, { columns }: HelpPage, indent = ''): string {
  const [, before = '', rest = ''] = /^( *)(.*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let line = before;
  for (const word of rest.split(' ')) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** A call that is too long goes on in the next line, in a way that can be pasted. */
function inLines(call: string, { columns }: HelpPage): string {
  const [first = '', ...options] = call.split(/ (?=--)/);
  let width = first.length;
  return options.reduce((lines, option) => {
    const fits = width + option.length + 3 <= columns;
    width = (fits ? width : 4) + option.length + 1;
    return `${lines}${fits ? ' ' : ' \\\n    '}${option}`;
  }, first);
}
