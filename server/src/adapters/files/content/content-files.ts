import { contentTypes } from '../../../domain/content/content.ts';
import { readCsvRows } from '../text/csv.ts';
import { isDecoded, linesOf, rowBytesMax } from '../text/lines.ts';

/** A row of a file: the line it begins on and its fields by our names, not yet validated. */
export type FileContent = { line: number; fields: Record<string, unknown> };

/** A row that can't be read. */
export type UnreadableItem = { line: number; unreadable: string };

/** Converts values to our form. Other values stay as they are, so that validation can report them. */
function toFields(row: Record<string, unknown>): Record<string, unknown> {
  const { type, status, keywords, dateTimePublished } = row;
  return {
    ...row,
    type: typeof type === 'string' ? toType(type) : type,
    status: typeof status === 'string' ? status.trim().toLowerCase() : (status ?? 'published'),
    keywords: typeof keywords === 'string' ? toKeywords(keywords) : (keywords ?? []),
    dateTimePublished: typeof dateTimePublished === 'string' ? toDateTime(dateTimePublished) : dateTimePublished,
  };
}

/** `WebContent`, also as `web content`; `Emails` also as `email`. */
function toType(text: string): string {
  const plain = (word: string) => word.toLowerCase().replace(/[^a-z]|s$/g, '');
  return contentTypes.find((type) => plain(type) === plain(text)) ?? text;
}

function toKeywords(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((keyword) => keyword.trim())
    .filter(Boolean);
}

/** A date alone means midnight UTC. */
function toDateTime(text: string): string | null {
  if (text.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? `${text.trim()}T00:00:00Z` : text.trim();
}

/** Our fields, each with the headings that exports give it, in lower case without punctuation. */
const columns: Record<string, string[]> = {
  type: ['type', 'contenttype', 'kind'],
  title: ['title', 'name', 'headline', 'subject'],
  url: ['url', 'link', 'address', 'permalink', 'href', 'location'],
  summary: ['summary', 'description', 'excerpt', 'abstract', 'teaser'],
  keywords: ['keywords', 'keyword', 'tags', 'tag', 'categories', 'category', 'topics'],
  status: ['status', 'state'],
  dateTimePublished: [
    'datetimepublished',
    'published',
    'publishedat',
    'datepublished',
    'publishdate',
    'pubdate',
    'date',
  ],
};

export async function* readCsv(path: string): AsyncGenerator<FileContent | UnreadableItem> {
  for await (const row of readCsvRows(path, columnsOf)) {
    if ('unreadable' in row) yield row;
    else if (!Object.values(row.cells).every(isDecoded)) yield { line: row.line, unreadable: 'it is not UTF-8' };
    else yield { line: row.line, fields: fieldsOf(row.cells) };
  }
}

/** The fields that the headings mean. Of several that mean the same field the first one counts. */
function columnsOf(headings: string[]): (string | undefined)[] {
  const names = headings.map((heading) => Object.keys(columns).find((name) => columns[name]?.includes(heading)));
  return names.map((name, index) => (names.indexOf(name) === index ? name : undefined));
}

function fieldsOf(cells: Record<string, string>): Record<string, unknown> {
  return toFields(Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== '')));
}

/** One JSON object per line. */
export async function* readNdjson(path: string): AsyncGenerator<FileContent | UnreadableItem> {
  let line = 0;
  for await (const text of linesOf(path, rowBytesMax)) {
    line += 1;
    const row = readRow(text);
    if (row) yield { line, ...row };
  }
}

function readRow(text: string): { fields: Record<string, unknown> } | { unreadable: string } | null {
  if (Buffer.byteLength(text) > rowBytesMax) return { unreadable: `it is longer than ${rowBytesMax} bytes` };
  if (!isDecoded(text)) return { unreadable: 'it is not UTF-8' };
  if (text.trim() === '') return null;
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return { unreadable: 'it is not a JSON object' };
    return { fields: toFields(row as Record<string, unknown>) };
  } catch {
    return { unreadable: 'it is not JSON' };
  }
}
