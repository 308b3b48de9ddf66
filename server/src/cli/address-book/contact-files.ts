import { open } from 'node:fs/promises';
import { writeCsvHeader, writeCsvRows } from '../../adapters/files/contacts/csv.ts';
import { rowPreparer } from '../../adapters/files/contacts/import-rows.ts';
import { isRegion, type Region, regionOf } from '../../adapters/files/contacts/phones.ts';
import { openContactFile } from '../../adapters/files/contacts/reading.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { exportContacts } from '../../domain/address-book/contact-exports.ts';
import { type ImportResult, startImport } from '../../domain/address-book/contact-imports.ts';
import { searchContacts } from '../../domain/address-book/contacts.ts';
import type { PreparedRow } from '../../domain/ports.ts';
import { contactFormatOf, countLines, requireFile } from '../files.ts';
import { type Call, UsageError } from '../verb.ts';
import { makeImportReport } from './import-report.ts';

const batchSize = 2_500;
/** How many batches are saved at once, while the next one is read: PostgreSQL writes two, while a third becomes searchable. */
const batchesMax = 3;

export async function importFile(call: Call): Promise<void> {
  const { runtime, operands, options, switches, streams, out } = call;
  const path = operands.FILE ?? '';
  requireFile(path);
  const format = contactFormatOf(path, options.format);
  const { advisorId, textingNumber } = await getAdvisor(runtime, options.advisor ?? '');
  const region = regionFor(options.region, textingNumber);
  const dryRun = switches.has('dry-run');
  const { about, rows } = await openContactFile(path, format, region);
  const contacts = startImport(runtime, advisorId, { dryRun });
  const prepare = rowPreparer();
  const report = makeImportReport(call);
  // Only a person looks at the progress.
  const lines = streams.stderr.isTTY ? await countLines(path) : 0;

  const saving: { batch: PreparedRow[]; outcomes: Promise<ImportResult[]> }[] = [];
  /** Reports the oldest batch once it is saved, so that the report is in the order of the file. */
  const settle = async () => {
    const { batch, outcomes } = saving.shift() ?? { batch: [], outcomes: [] };
    report.batch(batch, await outcomes);
    out.progress(dryRun ? 'Checking' : 'Importing', Math.min(batch.at(-1)?.line ?? 0, lines - 1), lines);
  };
  const save = async (batch: PreparedRow[]) => {
    if (saving.length >= batchesMax) await settle();
    const outcomes = contacts.save(batch.flatMap((each) => ('row' in each ? each.row : [])));
    // It is awaited when its turn comes; a failure until then is not forgotten.
    outcomes.catch(() => {});
    saving.push({ batch, outcomes });
  };

  let batch: PreparedRow[] = [];
  for await (const some of rows)
    for (const row of some) {
      batch.push(prepare(row));
      if (batch.length < batchSize) continue;
      await save(batch);
      batch = [];
    }
  await save(batch);
  while (saving.length > 0) await settle();
  out.progress(dryRun ? 'Checking' : 'Importing', lines, lines);
  report.end({ about, region, dryRun, groupsCreated: contacts.groupsCreated() });
}

function regionFor(given: string | undefined, textingNumber: string | null): Region {
  if (given === undefined) return regionOf(textingNumber);
  if (!isRegion(given)) throw new UsageError(`--region must be a country code such as US, not "${given}".`);
  return given;
}

export async function exportFile({ runtime, operands, options, out }: Call): Promise<void> {
  const path = operands.FILE ?? '';
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const { totalRecord } = (
    await searchContacts(runtime, advisorId, { page: 1, pageSize: 1, sortBy: 'fullName', sortDirection: 'asc' })
  ).pageInfo;
  // A book is personal data, so only the file's owner may read it.
  await using file = await open(path, 'w', 0o600);
  await file.chmod(0o600);
  let done = 0;
  await file.write(writeCsvHeader());
  for await (const contacts of exportContacts(runtime, advisorId)) {
    await file.write(writeCsvRows(contacts));
    done += contacts.length;
    out.progress('Exporting', done, totalRecord);
  }
  out.note(`Exported ${done}.`);
}
