import { open } from 'node:fs/promises';
import { csvColumns, readCsv, writeCsvRows } from '../contact-files/csv.ts';
import { type FileContact, isRegion, type Region, type Unreadable } from '../contact-files/fields.ts';
import { readVcards, writeVcard } from '../contact-files/vcard.ts';
import { getAdvisor } from '../domain/advisors.ts';
import { byOperator } from '../domain/archive.ts';
import { exportContacts, importContacts } from '../domain/contact-imports.ts';
import { listSharedPhones, mergeContacts } from '../domain/contact-merges.ts';
import { type ContactInput, searchContacts } from '../domain/contacts.ts';
import { ContactInput as ContactInputSchema } from '../schemas/contacts.ts';
import { validator } from '../schemas/validate.ts';
import { countLines, requireFile } from './files.ts';
import { type Call, UsageError, type Verb, wholeNumber } from './verb.ts';

const batchSize = 500;
const advisorOption = { value: 'EMAIL|ID', about: 'Whose book.', required: true } as const;
export const formatOption = { value: 'csv|vcard', about: 'By default what the file’s ending says.' } as const;

export const contactVerbs: Verb[] = [
  {
    name: 'contacts import',
    about: 'Import contacts from a CSV or vCard file. Says row by row what was refused and why; safe to run again.',
    operands: ['FILE'],
    options: {
      advisor: advisorOption,
      format: formatOption,
      region: { value: 'CC', about: 'Where numbers without a country code are from; US by default.' },
    },
    run: importFile,
  },
  {
    name: 'contacts export',
    about: 'Export contacts to a CSV or vCard file.',
    operands: ['FILE'],
    options: { advisor: advisorOption, format: formatOption },
    run: exportFile,
  },
  {
    name: 'contacts duplicates',
    about: 'List the numbers that more than one contact has.',
    operands: [],
    options: { advisor: advisorOption },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      out.records(await listSharedPhones(runtime, advisorId));
    },
  },
  {
    name: 'contacts merge',
    about: 'Make one contact of two: KEEP takes from OTHER what it lacks, and OTHER goes. Consent is not touched.',
    operands: ['KEEP', 'OTHER'],
    options: { advisor: advisorOption },
    run: async ({ runtime, operands, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      const keep = wholeNumber('KEEP', operands.KEEP ?? '');
      const merge = wholeNumber('OTHER', operands.OTHER ?? '');
      const contact = await mergeContacts(runtime, advisorId, { keep, merge }, byOperator);
      out.records(Object.entries(contact).map(([field, value]) => ({ field, value })));
    },
  },
];

type Row = { line: number; contact: ContactInput };

async function importFile({ runtime, operands, options, out }: Call): Promise<void> {
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

  for await (const row of readFile(file, formatOf(file, options.format), region)) {
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
  out.note(`Imported ${counts.imported}, skipped ${counts.same} that are in the book, refused ${counts.refused}.`);
  if (counts.refused > 0) process.exitCode = 1;
}

async function exportFile({ runtime, operands, options, out }: Call): Promise<void> {
  const path = operands.FILE ?? '';
  const format = formatOf(path, options.format);
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const { totalRecord } = (
    await searchContacts(runtime, advisorId, { page: 1, pageSize: 1, sortBy: 'fullName', sortDirection: 'asc' })
  ).pageInfo;
  // A book is personal data: the file is its writer's alone.
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

export function formatOf(path: string, given: string | undefined): 'csv' | 'vcard' {
  if (given === 'csv' || given === 'vcard') return given;
  if (given !== undefined) throw new UsageError(`--format must be csv or vcard, not "${given}".`);
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(vcf|vcard)$/i.test(path)) return 'vcard';
  throw new UsageError('The file ends in neither .csv nor .vcf: say --format csv or --format vcard.');
}
