import { type Option, type Verb, valueIn } from './verb.ts';

export function overview(verbs: Verb[]): string {
  const width = Math.max(...verbs.map(({ name }) => name.length));
  return [
    'assent <verb> …: operate an Assent deployment',
    '',
    ...verbs.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
    'assent <verb> --help explains a verb. Settings come from the environment; docs/reference/configuration.md lists them.',
  ].join('\n');
}

export function help(verb: Verb): string {
  const options: Record<string, Option> = { ...verb.options, json: { about: 'Print records as JSON.' } };
  const flags = Object.entries(options).map((each) => flagOf(...each));
  const width = Math.max(...flags.map((flag) => flag.length));
  return [
    usage(verb),
    '',
    verb.about,
    '',
    ...Object.values(options).map(
      ({ about, required }, index) => `  ${flags[index]?.padEnd(width)}  ${about}${required ? ' Required.' : ''}`,
    ),
  ].join('\n');
}

export function usage({ name: verb, operands = [], options = {} }: Verb): string {
  const flags = Object.entries(options).map((each) => (each[1].required ? flagOf(...each) : `[${flagOf(...each)}]`));
  return ['assent', verb, ...operands, ...flags].join(' ');
}

function flagOf(name: string, option: Option): string {
  return [`--${name}`, valueIn(option)].filter(Boolean).join(' ');
}
