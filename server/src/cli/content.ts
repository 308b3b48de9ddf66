import { readCsv } from '../content-files/csv.ts';
import type { FileContent, Unreadable } from '../content-files/fields.ts';
import { readNdjson } from '../content-files/ndjson.ts';
import { type ContentInput, saveContent } from '../domain/content.ts';
import { getFirm } from '../domain/firms.ts';
import { ContentInput as ContentInputSchema } from '../schemas/content.ts';
import { instantOf, validator } from '../schemas/validate.ts';
import { countLines, requireFile } from './files.ts';
import { inOneLine, jsonInOneLine } from './terminal.ts';
import { type Call, UsageError, type Verb, wholeNumber } from './verb.ts';

const batchSize = 500;
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
    run: importFile,
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
    // With it comes a parser of HTML, which no other command waits for.
    run: async (call) => {
      const { syncContent } = await import('./content-sync.ts');
      if ((await syncContent(call)) > 0) process.exitCode = 1;
    },
  },
];

/** Every firm's content is nobody's in particular. */
export async function firmOf({ runtime, options }: Call): Promise<number | null> {
  if (options.firm === undefined) return null;
  return (await getFirm(runtime, wholeNumber('--firm', options.firm))).firmId;
}

/** What becomes content obeys its rules; compiled when it is asked for, so that other commands don't wait for it. */
export function contentMaker(): (fields: Record<string, unknown>) => { content: ContentInput } | { why: string } {
  const validate = validator(ContentInputSchema);
  return (fields) => {
    const result = validate(fields);
    if ('broken' in result) return { why: result.broken.map(({ message }) => message).join(' ') };
    const { value } = result;
    const published = value.dateTimePublished ? instantOf(value.dateTimePublished) : null;
    return { content: { ...value, summary: value.summary ?? null, dateTimePublished: published } };
  };
}

async function importFile(call: Call): Promise<void> {
  const { runtime, operands, options, out, json } = call;
  const file = operands.FILE ?? '';
  const read = readerOf(file, options.format);
  requireFile(file);
  const owner = { firmId: await firmOf(call), source: null };
  const makeContent = contentMaker();
  const counts = { added: 0, changed: 0, unchanged: 0, refused: 0 };
  const lines = await countLines(file);
  let batch: ContentInput[] = [];

  const refuse = (line: number, why: string) => {
    counts.refused += 1;
    out.line(json ? jsonInOneLine({ line, refused: why }) : `line ${line}: refused: ${inOneLine(why)}`);
  };
  const flush = async () => {
    for (const saved of await saveContent(runtime, owner, batch)) counts[saved] += 1;
    batch = [];
  };

  for await (const row of read(file)) {
    if ('unreadable' in row) refuse(row.line, row.unreadable);
    else {
      const result = makeContent(row.fields);
      if ('why' in result) refuse(row.line, result.why);
      else batch.push(result.content);
    }
    if (batch.length >= batchSize) await flush();
    out.progress('Importing', Math.min(row.line, lines - 1), lines);
  }
  await flush();
  out.progress('Importing', lines, lines);
  const { added, changed, unchanged, refused } = counts;
  out.note(`Added ${added}, changed ${changed}, unchanged ${unchanged}, refused ${refused}.`);
  if (refused > 0) process.exitCode = 1;
}

type Reader = (path: string) => AsyncIterable<FileContent | Unreadable>;

function readerOf(path: string, given: string | undefined): Reader {
  const format = given ?? /\.(csv|ndjson|jsonl)$/i.exec(path)?.[1]?.toLowerCase();
  if (format === 'csv') return readCsv;
  if (format === 'ndjson' || (format === 'jsonl' && given === undefined)) return readNdjson;
  if (given !== undefined) throw new UsageError(`--format must be ndjson or csv, not "${given}".`);
  throw new UsageError('The file ends in neither .ndjson nor .csv: say --format ndjson or --format csv.');
}
