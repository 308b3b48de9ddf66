import { stringify } from 'csv-stringify/sync';
import { readCsvRows } from '../text-files/csv.ts';
import { type FileContact, type Region, toDate, toE164, toNumber, type Unreadable } from './fields.ts';

/** The contract's fields, each with the headings that address books give it, in lower case without punctuation. */
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

/** Other columns that a CRM's export may have. */
const remoteColumns = {
  remoteContactId: ['id', 'contactid', 'recordid', 'uid', 'externalid', 'remotecontactid'],
  remoteContactUrl: ['url', 'link', 'remotecontacturl'],
} as const;
type RemoteColumn = keyof typeof remoteColumns;
const remoteNames = Object.keys(remoteColumns) as RemoteColumn[];

export async function* readCsv(
  path: string,
  region: Region,
  until?: AbortSignal,
): AsyncGenerator<FileContact | Unreadable> {
  for await (const row of readCsvRows(path, { columnsOf, until }))
    yield 'unreadable' in row ? row : contactOf(row.line, row.cells, region);
}

export function writeCsvRows(rows: Record<Column, unknown>[]): string {
  return stringify(rows, { columns: csvColumns });
}

/** The fields that the headings mean. Of several ids the first one counts. */
function columnsOf(headings: string[]): (string | undefined)[] {
  const has = (names: readonly string[], heading: string) => names.includes(heading);
  return headings.map((heading, index) => {
    const remote = remoteNames.find((name) => has(remoteColumns[name], heading));
    if (!remote) return csvColumns.find((name) => has(columns[name], heading));
    return headings.findIndex((each) => has(remoteColumns[remote], each)) === index ? remote : undefined;
  });
}

function contactOf(line: number, cells: Record<string, string>, region: Region): FileContact {
  const fields: Record<string, unknown> = {};
  for (const name of csvColumns) {
    const text = cells[name] ?? '';
    if (text !== '') fields[name] = fieldValue(name, text, region);
  }
  const { remoteContactId = '', remoteContactUrl = '' } = cells;
  const phones = typeof fields.phone === 'string' ? [fields.phone] : [];
  return { line, fields, phones, remoteContactId, remoteContactUrl, isGroup: false };
}

function fieldValue(name: Column, text: string, region: Region): unknown {
  if (name === 'phone') return toE164(text, region);
  if (name === 'birthDate' || name === 'clientAnniversary') return toDate(text, region);
  if (name === 'gender' || name === 'maritalStatus') return toNumber(name, text);
  return text;
}
