import type { Verb } from '../verb.ts';

export const contentVerbs: Verb[] = [
  {
    name: 'content import',
    about: 'Import content from an NDJSON or CSV file. Lists each refused line with the reason. Safe to run again.',
    operands: ['FILE'],
    options: {
      firm: { value: 'FIRM', about: 'The firm whose advisors find it; by default every firm.' },
      format: { oneOf: ['ndjson', 'csv'], about: 'The file’s format; by default its extension decides.' },
    },
    examples: ['content import articles.ndjson --firm 1'],
    // Loads parsers and schemas on demand, so other verbs start faster.
    run: async (call) => (await import('./content-import.ts')).importFile(call),
  },
];
