import { readRecords } from './csv-records.ts';
import { type FileContent, lineBytesMax, toFields, type Unreadable } from './fields.ts';

/** Our fields, each with other names that exports give it, in lower case without punctuation. */
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

export async function* readCsv(path: string): AsyncGenerator<FileContent | Unreadable> {
  let names: (string | undefined)[] | undefined;
  for await (const record of readRecords(path, lineBytesMax)) {
    if ('unreadable' in record) yield record;
    else if (!names) names = namesOf(record.cells);
    else if (record.cells.length !== names.length)
      yield { line: record.line, unreadable: `it has ${record.cells.length} columns and not ${names.length}` };
    else yield { line: record.line, fields: fieldsOf(names, record.cells) };
  }
}

/** The fields that headings mean, of several the first; a column whose heading means none is ignored. */
function namesOf(header: string[]): (string | undefined)[] {
  const names = header.map((heading) => {
    const plain = heading.toLowerCase().replace(/[^a-z0-9]/g, '');
    return Object.keys(columns).find((name) => columns[name]?.includes(plain));
  });
  return names.map((name, index) => (names.indexOf(name) === index ? name : undefined));
}

function fieldsOf(names: (string | undefined)[], cells: string[]): Record<string, unknown> {
  const given = names.map((name, index) => [name ?? '', cells[index]?.trim() ?? '']);
  return toFields(Object.fromEntries(given.filter(([name, text]) => name !== '' && text !== '')));
}
