import { stringify } from 'csv-stringify/sync';
import type { ExportedContact } from '../../../domain/address-book/contact-exports.ts';
import type { ContactFiles, PreparedRow } from '../../../domain/ports.ts';
import { guarded } from '../../../domain/shared/text/formulas.ts';
import { readCsvRecords } from '../text/csv.ts';
import { encodingOf } from '../text/encodings.ts';
import { columnsOf, type SingleName } from './columns.ts';
import { columnsMax, separatorIn, writeCsvHeader, writeCsvRows } from './csv.ts';
import { rowPreparer } from './import-rows.ts';
import { regionOf } from './phones.ts';
import { openContactFile } from './reading.ts';

/** The parts of the port, which is loaded before them (contact-files.ts). */
export async function* read(file: Buffer, phone: string | null): AsyncGenerator<PreparedRow[]> {
  const prepare = rowPreparer();
  const { rows } = await openContactFile(file, 'csv', regionOf(phone));
  for await (const some of rows) yield some.map(prepare);
}

export async function columns(file: Buffer): ReturnType<ContactFiles['columns']> {
  for await (const record of recordsOf(file))
    return 'cells' in record ? fieldsOf(record.cells.slice(0, columnsMax).map((each) => each.trim())) : [];
  return [];
}

export async function* writeRefused(file: Buffer, phone: string | null): AsyncGenerator<string> {
  const reasons = new Map<number, string>();
  for await (const rows of read(file, phone))
    for (const each of rows) if ('refused' in each) reasons.set(each.line, each.refused);
  let width = 0;
  for await (const record of recordsOf(file)) {
    const cells = 'cells' in record ? record.cells : [];
    if (width === 0 && cells.length > 0) {
      width = cells.length;
      yield `\ufeff${line([...cells, 'Line', 'Reason'])}`;
    } else if (reasons.has(record.line)) {
      const padded = Array.from({ length: Math.max(width, cells.length) }, (_, column) => cells[column] ?? '');
      yield line([...padded, String(record.line), reasons.get(record.line) ?? '']);
    }
  }
}

export async function* write(contacts: AsyncIterable<ExportedContact[]>): AsyncGenerator<string> {
  yield writeCsvHeader();
  for await (const some of contacts) yield writeCsvRows(some);
}

async function* recordsOf(file: Buffer) {
  const encoding = await encodingOf(file);
  const separator = await separatorIn(file, { encoding });
  for await (const records of readCsvRecords(file, { encoding, separator })) yield* records;
}

function fieldsOf(headings: string[]): { heading: string; field: string | null }[] {
  const { single, phones, emails, addresses } = columnsOf(headings);
  const fields = new Map<number, string>();
  for (const [name, columns] of Object.entries(single) as [SingleName, number[]][])
    for (const column of columns) if (!fields.has(column)) fields.set(column, name);
  for (const { value } of phones) fields.set(value, 'phone');
  for (const { value } of emails) fields.set(value, 'emailAddress');
  for (const address of addresses) for (const column of Object.values(address)) fields.set(column, 'address');
  return headings.map((heading, column) => ({ heading, field: fields.get(column) ?? null }));
}

function line(cells: string[]): string {
  return stringify([cells], { quoted_match: /\r/, cast: { string: guarded } });
}
