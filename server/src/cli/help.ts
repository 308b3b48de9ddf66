import type { Option, Verb } from './verb.ts';

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
  const flags = Object.entries(options).map(([name, { value }]) => (value ? `--${name} ${value}` : `--${name}`));
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
  const flags = Object.entries(options).map(([name, { value, required }]) => {
    const flag = value ? `--${name} ${value}` : `--${name}`;
    return required ? flag : `[${flag}]`;
  });
  return ['assent', verb, ...operands, ...flags].join(' ');
}
