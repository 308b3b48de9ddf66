import { readCsvRows } from '../text/csv.ts';
import { isDecoded } from '../text/lines.ts';
import { type FileContent, toFields, type UnreadableItem } from './fields.ts';

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
