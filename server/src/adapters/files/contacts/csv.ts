import { stringify } from 'csv-stringify/sync';
import type { ExportedContact } from '../../../domain/address-book/contact-exports.ts';
import { guarded, unguarded } from '../../../domain/shared/text/formulas.ts';
import {
  type CsvRecord,
  namedSeparator,
  type RecordOptions,
  readCsvRecords,
  splitLine,
  wrongLength,
} from '../text/csv.ts';
import { firstLineOf, type LineOptions } from '../text/lines.ts';
import type { TextSource } from '../text/sources.ts';
import { type AddressColumns, type Columns, columnsOf, type SingleName, type Slot } from './columns.ts';
import { type ContactTexts, contactOf } from './drafts.ts';
import { between, type FileContact, groupsIn, splitStreet, splitValues, type Unreadable } from './fields.ts';
import { phoneRank, type Region } from './phones.ts';

/** Headings of columns that have something, but nothing that a contact has; complete when all rows are read. */
export type UnusedColumns = { unused: string[] };

/** The columns of our own export. */
const csvColumns = [
  ...['contactId', 'identifier', 'firstName', 'lastName', 'nickname', 'emailAddress', 'phone', 'birthDate'],
  ...['clientAnniversary', 'gender', 'maritalStatus', 'address1', 'address2', 'city', 'state', 'postalCode'],
  ...['groups', 'remoteContactId', 'remoteContactUrl'],
];

/** If several fit, the first one. */
const separators = [',', ';', '\t', '|'];
const headingsShownMax = 10;
/** No program writes as many: what columns mean is found out by comparing them, which takes minutes for a line of commas. */
export const columnsMax = 1_000;

/** Excel names it in a first line of its own, or else it is the one that makes most of the headings known. */
export async function separatorIn(source: TextSource, options: LineOptions): Promise<string> {
  const line = await firstLineOf(source, options);
  const fits = separators.map((separator) => {
    const headings = splitLine(line, separator).slice(0, columnsMax);
    return { separator, known: headings.length - columnsOf(headings).unknown.length, all: headings.length };
  });
  const [best] = fits.toSorted((one, other) => other.known - one.known || other.all - one.all);
  return namedSeparator(line) ?? best?.separator ?? ',';
}

export async function* readCsv(
  source: TextSource,
  region: Region,
  options: RecordOptions,
  about: UnusedColumns,
): AsyncGenerator<(FileContact | Unreadable)[]> {
  let read: ((record: CsvRecord) => FileContact | Unreadable) | undefined;
  for await (const records of readCsvRecords(source, options)) {
    const rows: (FileContact | Unreadable)[] = [];
    for (const record of records) {
      if ('unreadable' in record) rows.push(record);
      else if (read) rows.push(read(record));
      else {
        if (record.cells.length > columnsMax) return yield [...rows, tooManyColumns(record)];
        const headings = record.cells.map((each) => each.trim());
        const columns = columnsOf(headings);
        if (columns.unknown.length === headings.length) return yield [...rows, noColumns(record)];
        read = rowReader(headings, columns, region, about);
      }
    }
    yield rows;
  }
}

function noColumns({ line, cells }: CsvRecord): Unreadable {
  const shown = cells.slice(0, headingsShownMax).join(', ') + (cells.length > headingsShownMax ? ', …' : '');
  return { line, unreadable: `none of its columns is known: ${shown}` };
}

function tooManyColumns({ line, cells }: CsvRecord): Unreadable {
  return { line, unreadable: `it has ${cells.length} columns: at most ${columnsMax} are read` };
}

/** Reads the rows below these headings. */
function rowReader(headings: string[], columns: Columns, region: Region, about: UnusedColumns) {
  let unseen = columns.unknown;
  // Only our own export has guarded its cells.
  const isOurs = headings.includes('contactId') && headings.includes('identifier');

  function noteUnused(cells: string[]): void {
    const seen = unseen.filter((column) => !/^(0\/0\/00)?$/.test(cells[column]?.trim() ?? ''));
    if (seen.length === 0) return;
    about.unused.push(...seen.map((column) => headings[column] ?? ''));
    unseen = unseen.filter((column) => !seen.includes(column));
  }

  return (record: CsvRecord): FileContact | Unreadable => {
    const { line } = record;
    const cells = isOurs ? record.cells.map(unguarded) : record.cells;
    // Some programs end each row with a separator.
    const hasMore = cells.slice(headings.length).some((each) => each.trim() !== '');
    if (cells.length < headings.length || hasMore) return wrongLength(record, headings.length);
    noteUnused(cells);
    return contactOf({ line, ...textsOf(headings, columns, cells) }, region);
  };
}

/** What the cells of a row mean. */
function textsOf(headings: string[], columns: Columns, cells: string[]): Omit<ContactTexts, 'line'> {
  const { single } = columns;
  const textIn = (column: number) => cells[column]?.trim() ?? '';
  const firstIn = (column: number | undefined) => (column === undefined ? '' : (splitValues(textIn(column))[0] ?? ''));
  const at = (column: number) => ({ column: headings[column] ?? '', text: textIn(column) });

  /** The first of a field's columns that has something. */
  const oneOf = (name: SingleName) => single[name].map(at).find(({ text }) => text !== '') ?? { column: '', text: '' };
  const text = (name: SingleName) => oneOf(name).text;

  /** In the order of their ranks; one without a rank is no number that a person answers. */
  function ranked(slots: Slot[], rankOf: (label: string) => number | null) {
    const texts = slots.flatMap(({ value, label }) => {
      const rank = textIn(value) === '' ? null : rankOf(label === undefined ? '' : textIn(label));
      return rank === null ? [] : { rank, ...at(value) };
    });
    return texts.sort((one, other) => one.rank - other.rank);
  }

  function addressIn(parts: AddressColumns) {
    const used = Object.values(parts).find((column) => textIn(column) !== '');
    if (used === undefined) return [];
    const [street, second, third] = [firstIn(parts.street), firstIn(parts.street2), firstIn(parts.street3)];
    const lines = splitStreet([street, second, third], firstIn(parts.box));
    const [city, state, postalCode] = [firstIn(parts.city), firstIn(parts.state), firstIn(parts.postalCode)];
    return { column: headings[used] ?? '', ...lines, city, state, postalCode };
  }

  return {
    phones: ranked(columns.phones, phoneRank),
    emails: ranked(columns.emails, emailRank),
    addresses: columns.addresses.flatMap(addressIn),
    firstName: text('firstName'),
    lastName: text('lastName'),
    fullName: text('fullName'),
    nickname: text('nickname'),
    birthDate: oneOf('birthDate'),
    clientAnniversary: oneOf('clientAnniversary'),
    gender: oneOf('gender'),
    maritalStatus: oneOf('maritalStatus'),
    groups: groupsIn(oneOf('groups')),
    isGroup: false,
  };
}

/** Google marks the primary one with a star. */
function emailRank(label: string): number {
  return label.startsWith('*') ? 0 : 1;
}

/** With a byte order mark, without which Excel reads “Jörg” as “JÃ¶rg” and writes it back. */
export function writeCsvHeader(): string {
  return `\ufeff${csvColumns.join(',')}\n`;
}

export function writeCsvRows(contacts: ExportedContact[]): string {
  const rows = contacts.map((contact) => ({ ...contact, groups: contact.groups.join(between) }));
  // Blanks at the ends of a text would be lost without quotes.
  return stringify(rows, { columns: csvColumns, quoted_match: /^\s|\s$|\r/, cast: { string: guarded } });
}
