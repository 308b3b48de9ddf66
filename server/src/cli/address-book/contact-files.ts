import { open } from 'node:fs/promises';
import { csvColumns, readCsv, writeCsvRows } from '../../contact-files/csv.ts';
import { type FileContact, isRegion, type Region, type Unreadable } from '../../contact-files/fields.ts';
import { readVcards, writeVcard } from '../../contact-files/vcard.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { exportContacts, importContacts } from '../../domain/address-book/contact-imports.ts';
import { type ContactInput, searchContacts } from '../../domain/address-book/contacts.ts';
import { ContactInput as ContactInputSchema } from '../../schemas/address-book/contacts.ts';
import { validator } from '../../schemas/shared/validate.ts';
import { contactFormatOf, countLines, requireFile } from '../files.ts';
import { type Call, UsageError } from '../verb.ts';

const batchSize = 500;

type Row = { line: number; contact: ContactInput };

export async function importFile({ runtime, operands, options, out }: Call): Promise<void> {
  const file = operands.FILE ?? '';
  const region = options.region ?? 'US';
  if (!isRegion(region)) throw new UsageError(`--region must be a country code such as US, not "${region}".`);
  requireFile(file);
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const validate = validator(ContactInputSchema);
  const counts = { imported: 0, same: 0, refused: 0 };
  const lines = await countLines(file);
  let batch: Row[] = [];

  const refuse = (line: number, why: string) => {
    counts.refused += 1;
    out.line(`line ${line}: refused: ${why}`);
  };
  const flush = async () => {
    const results = await importContacts(
      runtime,
      advisorId,
      batch.map(({ contact }) => contact),
    );
    results.forEach((result, index) => {
      if ('created' in result) counts.imported += 1;
      else {
        counts.same += 1;
        out.line(`line ${batch[index]?.line}: skipped: already in the book as contact ${result.same}`);
      }
    });
    batch = [];
  };

  for await (const row of readFile(file, contactFormatOf(file, options.format), region)) {
    if ('unreadable' in row) refuse(row.line, row.unreadable);
    else {
      const result = validate(row.fields);
      if ('broken' in result) refuse(row.line, result.broken.map(({ message }) => message).join(' '));
      else batch.push({ line: row.line, contact: result.value as ContactInput });
    }
    if (batch.length >= batchSize) await flush();
    out.progress('Importing', row.line, lines);
  }
  await flush();
  out.progress('Importing', lines, lines);
  out.note(`Imported ${counts.imported}, skipped ${counts.same} already in the book, refused ${counts.refused}.`);
  if (counts.refused > 0) out.exitCode = 1;
}

export async function exportFile({ runtime, operands, options, out }: Call): Promise<void> {
  const path = operands.FILE ?? '';
  const format = contactFormatOf(path, options.format);
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const { totalRecord } = (
    await searchContacts(runtime, advisorId, { page: 1, pageSize: 1, sortBy: 'fullName', sortDirection: 'asc' })
  ).pageInfo;
  // A book is personal data, so only the file's owner may read it.
  const file = await open(path, 'w', 0o600);
  await file.chmod(0o600);
  let done = 0;
  try {
    if (format === 'csv') await file.write(`${csvColumns.join(',')}\n`);
    for await (const contacts of exportContacts(runtime, advisorId)) {
      await file.write(format === 'csv' ? writeCsvRows(contacts) : contacts.map(writeVcard).join(''));
      done += contacts.length;
      out.progress('Exporting', done, totalRecord);
    }
  } finally {
    await file.close();
  }
  out.note(`Exported ${done}.`);
}

function readFile(path: string, format: 'csv' | 'vcard', region: Region): AsyncIterable<FileContact | Unreadable> {
  return format === 'csv' ? readCsv(path, region) : readVcards(path, region);
}
