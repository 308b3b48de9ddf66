import { createReadStream } from 'node:fs';
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

const rowBytesMax = 256 * 1024;

export async function* readCsv(path: string, region: Region): AsyncGenerator<FileContact | Unreadable> {
  const skipped: Unreadable[] = [];
  const parser = createReadStream(path).pipe(
    parse({
      bom: true,
      columns: (header: string[]) => header.map(columnOf),
      relax_column_count: false,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: rowBytesMax,
      info: true,
      on_skip: (error) => {
        skipped.push({ line: Number(error?.lines ?? 0), unreadable: 'it is not a row of this CSV' });
      },
    }),
  );
  for await (const { info, record } of parser as AsyncIterable<{
    info: { lines: number };
    record: Record<string, string>;
  }>) {
    yield* skipped.splice(0);
    yield { line: info.lines, fields: fieldsOf(record, region) };
  }
  yield* skipped;
}

export function writeCsvRows(rows: Record<Column, unknown>[]): string {
  return stringify(rows, { columns: csvColumns });
}

/** The field that a heading means; a heading that means none makes a column that is ignored. */
function columnOf(heading: string): string | false {
  const plain = heading.toLowerCase().replace(/[^a-z0-9]/g, '');
  return csvColumns.find((name) => (columns[name] as readonly string[]).includes(plain)) ?? false;
}

function fieldsOf(record: Record<string, string>, region: Region): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, text]) => text.trim() !== '')
      .map(([name, text]) => [name, fieldValue(name as Column, text.trim(), region)]),
  );
}

function fieldValue(name: Column, text: string, region: Region): unknown {
  if (name === 'phone') return toE164(text, region);
  if (name === 'birthDate' || name === 'clientAnniversary') return toDate(text, region);
  if (name === 'gender' || name === 'maritalStatus') return toNumber(name, text);
  return text;
}
