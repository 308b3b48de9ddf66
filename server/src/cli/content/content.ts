import type { Verb } from '../verb.ts';

const firmOption = { value: 'FIRM', about: 'The firm whose advisors find it; by default every firm.' } as const;

export const contentVerbs: Verb[] = [
  {
    name: 'content import',
    about: 'Import content from an NDJSON or CSV file. Lists each refused line with the reason. Safe to run again.',
    operands: ['FILE'],
    options: {
      firm: firmOption,
      format: { oneOf: ['ndjson', 'csv'], about: 'The file’s format; by default its extension decides.' },
    },
    examples: ['content import articles.ndjson --firm 1'],
    // These two verbs load parsers and schemas on demand, so other verbs start faster.
    run: async (call) => (await import('./content-import.ts')).importFile(call),
  },
  {
    name: 'content sync',
    about: 'Import the items of a feed or the pages of a sitemap, and list the changes. Safe to run again.',
    operands: ['URL-OR-FILE'],
    options: {
      firm: firmOption,
      type: { value: 'TYPE', about: 'The type of content; WebContent by default.' },
      status: { value: 'STATUS', about: 'draft, published or archived; published by default.' },
      'archive-missing': { about: 'Archive pages that the sitemap no longer lists.' },
      'titles-max': { value: 'N', about: 'Read the titles of at most N pages of a sitemap; 500 by default.' },
    },
    examples: ['content sync https://example.com/feed.xml'],
    run: async (call) => {
      const { syncContent } = await import('./content-sync.ts');
      if ((await syncContent(call)) > 0) call.out.exitCode = 1;
    },
  },
];
