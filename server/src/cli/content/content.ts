import type { Verb } from '../verb.ts';

const firmOption = { value: 'FIRM', about: 'Whose advisors find it; by default those of every firm.' } as const;

export const contentVerbs: Verb[] = [
  {
    name: 'content import',
    about: 'Import content from a file of JSON lines or CSV. Says line by line what was refused; safe to run again.',
    operands: ['FILE'],
    options: {
      firm: firmOption,
      format: { value: 'ndjson|csv', about: 'By default what the file’s ending says.' },
    },
    // With these two come parsers and schemas, which no other command waits for.
    run: async (call) => (await import('./content-import.ts')).importFile(call),
  },
  {
    name: 'content sync',
    about: 'Take over what a feed or a sitemap lists, and say what changed; safe to run again.',
    operands: ['URL-OR-FILE'],
    options: {
      firm: firmOption,
      type: { value: 'TYPE', about: 'What it is; WebContent by default.' },
      status: { value: 'STATUS', about: 'draft, published or archived; published by default.' },
      'archive-missing': { about: 'Archive what the sitemap no longer lists.' },
      'titles-max': { value: 'N', about: 'Read at most N pages of a sitemap for their titles; 500 by default.' },
    },
    run: async (call) => {
      const { syncContent } = await import('./content-sync.ts');
      if ((await syncContent(call)) > 0) call.out.exitCode = 1;
    },
  },
];
