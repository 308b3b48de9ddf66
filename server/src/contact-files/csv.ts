import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { type FileContact, type Region, toDate, toE164, toNumber, type Unreadable } from './fields.ts';

/** The contract's fields, each with other names that address books give it, in lower case without punctuation. */
const columns = {
  firstName: ['firstname', 'givenname', 'first'],
  lastName: ['lastname', 'familyname', 'surname', 'last'],
  nickname: ['nickname'],
  emailAddress: ['emailaddress', 'email', 'email1value', 'primaryemail'],
  phone: ['phone', 'phonenumber', 'mobilephone', 'mobile', 'cellphone', 'phone1value', 'primaryphone'],
  birthDate: ['birthdate', 'birthday', 'dateofbirth'],
  clientAnniversary: ['clientanniversary', 'clientsince'],
  gender: ['gender', 'sex'],
  maritalStatus: ['maritalstatus'],
  address1: ['address1', 'address', 'street', 'homestreet', 'address1street'],
  address2: ['address2', 'homestreet2'],
  city: ['city', 'homecity', 'address1city'],
  state: ['state', 'homestate', 'address1region'],
  postalCode: ['postalcode', 'zip', 'zipcode', 'homepostalcode', 'address1postalcode'],
} as const;
type Column = keyof typeof columns;
export const csvColumns = Object.keys(columns) as Column[];

/** What a CRM's export may say besides. */
const remoteColumns = {
  remoteContactId: ['id', 'contactid', 'recordid', 'uid', 'externalid', 'remotecontactid'],
  remoteContactUrl: ['url', 'link', 'remotecontacturl'],
} as const;
type RemoteColumn = keyof typeof remoteColumns;
const remoteNames = Object.keys(remoteColumns) as RemoteColumn[];

const rowBytesMax = 256 * 1024;

export async function* readCsv(
  path: string,
  region: Region,
  until?: AbortSignal,
): AsyncGenerator<FileContact | Unreadable> {
  const skipped: Unreadable[] = [];
  const parser = parse({
    bom: true,
    columns: columnsOf,
    relax_column_count: false,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: rowBytesMax,
    info: true,
    on_skip: (error) => {
      const hidesRest = !error?.code.startsWith('CSV_RECORD_INCONSISTENT');
      skipped.push({ line: Number(error?.lines ?? 0), unreadable: 'it is not a row of this CSV', hidesRest });
    },
  });
  // What goes wrong in either of them ends both, and comes out of the loop below.
  pipeline(createReadStream(path, { signal: until }), parser, () => {});
  for await (const { info, record } of parser as AsyncIterable<{
    info: { lines: number };
    record: Record<string, string>;
  }>) {
    yield* skipped.splice(0);
    yield contactOf(info.lines, record, region);
  }
  yield* skipped;
}

export function writeCsvRows(rows: Record<Column, unknown>[]): string {
  return stringify(rows, { columns: csvColumns });
}

/** The fields that headings mean; a heading that means none makes a column that is ignored. */
function columnsOf(header: string[]): (string | false)[] {
  const plain = header.map((heading) => heading.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const has = (names: readonly string[], heading: string) => names.includes(heading);
  return plain.map((heading, index) => {
    const remote = remoteNames.find((name) => has(remoteColumns[name], heading));
    // Of several ids the first one counts.
    if (remote) return plain.findIndex((each) => has(remoteColumns[remote], each)) === index && remote;
    return csvColumns.find((name) => has(columns[name], heading)) ?? false;
  });
}

function contactOf(line: number, record: Record<string, string>, region: Region): FileContact {
  const fields: Record<string, unknown> = {};
  for (const name of csvColumns) {
    const text = record[name]?.trim() ?? '';
    if (text !== '') fields[name] = fieldValue(name, text, region);
  }
  const { remoteContactId = '', remoteContactUrl = '' } = record;
  return {
    line,
    fields,
    phones: typeof fields.phone === 'string' ? [fields.phone] : [],
    remoteContactId: remoteContactId.trim(),
    remoteContactUrl: remoteContactUrl.trim(),
    isGroup: false,
  };
}

function fieldValue(name: Column, text: string, region: Region): unknown {
  if (name === 'phone') return toE164(text, region);
  if (name === 'birthDate' || name === 'clientAnniversary') return toDate(text, region);
  if (name === 'gender' || name === 'maritalStatus') return toNumber(name, text);
  return text;
}
