import { resolve } from 'node:path';
import { makeFolder, writeExport } from '../../adapters/files/exports/packages.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { deployment } from '../../domain/archive/archive.ts';
import { verifyPackage } from '../../domain/examiner/package.mjs';
import { explanationLine } from '../../domain/examiner/times.mjs';
import { type ExportFormat, exportArchive } from '../../domain/record-keeping/archive-export.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';

export const archiveExportVerbs: Verb[] = [
  {
    name: 'archive export',
    about: 'Write an advisor’s archive for a period to a folder, signed, with the proofs that an examiner needs.',
    options: {
      advisor: { value: 'EMAIL|ID', about: 'Whose archive; 0 is the deployment’s own.', required: true },
      from: { value: 'DATE', about: 'The first day, in the advisor’s time zone, or a time.', required: true },
      to: { value: 'DATE', about: 'The last day, included, or the time when it ends.', required: true },
      format: { oneOf: ['eml', 'ndjson'], about: 'eml is ndjson plus a ZIP of e-mails.', required: true },
      out: { value: 'DIR', about: 'A new or empty folder.', required: true },
    },
    examples: [
      'archive export --advisor avery@sandbox.example --from 2026-01-01 --to 2026-03-31 --format eml --out export',
    ],
    isLong: true,
    run: writeFolder,
  },
];

async function writeFolder({ runtime, options, out }: Call): Promise<void> {
  const { advisor = '', from = '', to = '', out: given = '' } = options;
  const format = options.format as ExportFormat;
  const { timeZone } = advisor === String(deployment) ? { timeZone: 'UTC' } : await getAdvisor(runtime, advisor);
  const period = { from: momentOf('--from', from, timeZone, 0), to: momentOf('--to', to, timeZone, 1) };
  if (period.from >= period.to) throw new UsageError('--from must be before --to.');
  const folder = resolve(given);
  await makeFolder(folder);
  const exported = await exportArchive(runtime, advisor, { ...period, format });
  const progress = (done: number, total: number) => out.progress('Exporting', done, total);
  const entries = await writeExport(exported, { folder, withEmails: format === 'eml', progress });
  out.note(`Exported ${entries} entries to ${folder}.`);
}

/** `archive verify --package`: needs no database; the exit code says what it found. */
export async function verifyExport({ options, json, out }: Pick<Call, 'options' | 'json' | 'out'>): Promise<void> {
  const { package: packageDir = '', checkpoint: checkpointFile, pubkey: pubkeyFile } = options;
  if (!checkpointFile || !pubkeyFile) throw new UsageError('--package also needs --checkpoint FILE and --pubkey FILE.');
  const progress = (done: number, total: number) => out.progress('Checking', done, total);
  const { code, verdict, message, entries, faults, disposed, explained } = verifyPackage({
    packageDir,
    checkpointFile,
    pubkeyFile,
    progress,
  });
  if (json) out.records([{ verdict, message, entries, faults, disposed, explained }]);
  else out.line(`${verdict}: ${message}`);
  if (!json) for (const line of [...faults.slice(1), ...explained.map(explanationLine)]) out.note(line);
  out.exitCode = code;
}

/** A time as given, or the beginning of the day that is `days` after the one given. */
function momentOf(name: string, text: string, timeZone: string, days: number): Date {
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(Temporal.Instant.from(text).epochMilliseconds);
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' }).add({ days });
    return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
  } catch {
    throw new UsageError(`${name} must be a day such as 2026-01-31, or a time such as 2026-01-31T17:00:00Z.`);
  }
}
