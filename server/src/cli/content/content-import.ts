import {
  type FileContent,
  readCsv,
  readNdjson,
  type UnreadableItem,
} from '../../adapters/files/content/content-files.ts';
import { getFirm } from '../../domain/accounts/firms.ts';
import { type ContentInput, saveContent } from '../../domain/content/content.ts';
import { ContentInput as ContentInputSchema } from '../../schemas/content/content.ts';
import { instantOf, validator } from '../../schemas/shared/validate.ts';
import { countLines, requireFile } from '../files.ts';
import { inOneLine, safeJson } from '../terminal.ts';
import { type Call, UsageError, wholeNumber } from '../verb.ts';

const batchSize = 500;

export async function importFile(call: Call): Promise<void> {
  const { runtime, operands, options, out, json } = call;
  const file = operands.FILE ?? '';
  const read = readerOf(file, options.format);
  requireFile(file);
  const firmId = await firmOf(call);
  const makeContent = contentMaker();
  const counts = { added: 0, changed: 0, unchanged: 0, refused: 0 };
  const lines = await countLines(file);
  let batch: ContentInput[] = [];

  const refuse = (line: number, why: string) => {
    counts.refused += 1;
    out.line(json ? safeJson({ line, refused: why }) : `line ${line}: refused: ${inOneLine(why)}`);
  };
  const flush = async () => {
    for (const saved of await saveContent(runtime, firmId, batch)) counts[saved] += 1;
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
  if (refused > 0) out.exitCode = 1;
}

type Reader = (path: string) => AsyncIterable<FileContent | UnreadableItem>;

function readerOf(path: string, given: string | undefined): Reader {
  const format = given ?? /\.(csv|ndjson|jsonl)$/i.exec(path)?.[1]?.toLowerCase();
  if (format === 'csv') return readCsv;
  if (format) return readNdjson;
  throw new UsageError('The file ends in neither .ndjson nor .csv: add --format ndjson or --format csv.');
}

/** The firm that owns the content; null for content that every firm shares. */
async function firmOf({ runtime, options }: Call): Promise<number | null> {
  if (options.firm === undefined) return null;
  return (await getFirm(runtime, wholeNumber('--firm', options.firm))).firmId;
}

/** Makes content of fields that obey its rules, or says why it can't. */
function contentMaker(): (fields: Record<string, unknown>) => { content: ContentInput } | { why: string } {
  const validate = validator(ContentInputSchema);
  return (fields) => {
    const result = validate(fields);
    if ('broken' in result) return { why: result.broken.map(({ message }) => message).join(' ') };
    const { value } = result;
    const published = value.dateTimePublished ? instantOf(value.dateTimePublished) : null;
    return { content: { ...value, summary: value.summary ?? null, dateTimePublished: published } };
  };
}
