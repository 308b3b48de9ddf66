import { resolve } from 'node:path';
import { makeFolder, writePackage } from '../../archive-exports/folder.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { deployment } from '../../domain/archive/archive.ts';
import { type ExportFormat, exportArchive } from '../../domain/record-keeping/archive-export.ts';
import { verdicts, verifyPackage } from '../../examiner/verify.mjs';
import { type Call, UsageError, type Verb } from '../verb.ts';

const cantTell = verdicts.indexOf('unknown');

export const archiveExportVerbs: Verb[] = [
  {
    name: 'archive export',
    about: 'Write an advisor’s archive of a period to a folder, signed, with all that proves it to an examiner.',
    operands: [],
    options: {
      advisor: { value: 'EMAIL|ID', about: 'Whose; 0 is the deployment’s own.', required: true },
      from: { value: 'DATE', about: 'The first day, in the advisor’s time zone; or a time.', required: true },
      to: { value: 'DATE', about: 'The last day, with it; or the time up to which.', required: true },
      format: { value: 'eml|ndjson', about: 'eml adds e-mails in a ZIP to what ndjson has.', required: true },
      out: { value: 'DIR', about: 'A folder that is new or empty.', required: true },
    },
    run: exportPackage,
  },
];

async function exportPackage({ runtime, options, out }: Call): Promise<void> {
  const { advisor = '', from = '', to = '', out: given = '' } = options;
  const format = formatOf(options.format);
  const { timeZone } = advisor === String(deployment) ? { timeZone: 'UTC' } : await getAdvisor(runtime, advisor);
  const period = { from: momentOf('--from', from, timeZone, 0), to: momentOf('--to', to, timeZone, 1) };
  if (period.from >= period.to) throw new UsageError('--from must be before --to.');
  const folder = resolve(given);
  await makeFolder(folder);
  const exported = await exportArchive(runtime, advisor, { ...period, format });
  const progress = (done: number, total: number) => out.progress('Exporting', done, total);
  const entries = await writePackage(exported, { folder, withEmails: format === 'eml', progress });
  out.note(`Exported ${entries} entries to ${folder}.`);
}

/** `archive verify` of a package: needs no database, and ends with the exit code of what it found. */
export async function verifyPackageVerb({ options, json, out }: Pick<Call, 'options' | 'json' | 'out'>): Promise<void> {
  const { package: packageDir = '', checkpoint: checkpointFile, pubkey: pubkeyFile } = options;
  if (!checkpointFile || !pubkeyFile) {
    out.note('assent: --package needs --checkpoint FILE and --pubkey FILE, too.');
    // Here 2, with which a wrong call ends elsewhere, would say that something is missing from the package.
    out.exitCode = cantTell;
    return;
  }
  const progress = (done: number, total: number) => out.progress('Checking', done, total);
  const { code, verdict, message, entries, faults } = await verifyPackage({
    packageDir,
    checkpointFile,
    pubkeyFile,
    progress,
  });
  if (json) out.records([{ verdict, message, entries, faults }]);
  else out.line(`${verdict}: ${message}`);
  if (!json) for (const fault of faults.slice(1)) out.note(fault);
  out.exitCode = code;
}

function formatOf(given: string | undefined): ExportFormat {
  if (given !== 'eml' && given !== 'ndjson') throw new UsageError(`--format must be eml or ndjson, not "${given}".`);
  return given;
}

/** The beginning of a day, or of the one that many days later; a time as it is. */
function momentOf(name: string, text: string, timeZone: string, days: number): Date {
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(Temporal.Instant.from(text).epochMilliseconds);
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' }).add({ days });
    return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
  } catch {
    throw new UsageError(`${name} must be a day such as 2026-01-31, or a time such as 2026-01-31T17:00:00Z.`);
  }
}
