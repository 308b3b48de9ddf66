import type { Config } from '../../config.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';
import type { Overview } from './overview.ts';

/** A server signs every two seconds and copies at once. */
const behindAfterMs = 60_000;

/** How far the archive is signed and copied, and what is wrong with it. `restored` says that the database is an earlier one. */
export function checkArchive(
  { archive }: Overview,
  { role }: Pick<Config, 'role'>,
  { restored, realNow }: { restored: string | null; realNow: Date },
): CheckFinding[] {
  const { fault, copiesFault, memoryFault, entries, signed, waiting, keptOutside, lastSigned, key } = archive;
  const guide = 'docs/operators/running.md#the-archives-key-and-checkpoints says what to do.';
  if (restored) return [failing('archive', restored, 'docs/operators/backup.md#after-a-restore says what to do.')];
  const faults = [fault, copiesFault, memoryFault].filter((each) => each !== null);
  if (faults.length > 0) return faults.map((each) => failing('archive', each, guide));
  if (role === 'api' || (!key && keptOutside === null)) return [ok('archive', `${entries} entries, ${signed} signed`)];
  const isLate = !lastSigned || realNow.getTime() - lastSigned.getTime() > behindAfterMs;
  const start = 'Start a process with ROLE work or all that has ARCHIVE_KEY_FILE.';
  return [
    waiting > 0 && isLate
      ? warning('archive', `${waiting} of ${entries} entries are not signed; ${ago(lastSigned, realNow)}`, start)
      : ok('archive', `${signed} of ${entries} entries are signed`),
    copiesFinding({ keptOutside, signed, isLate }),
  ];
}

function copiesFinding({
  keptOutside,
  signed,
  isLate,
}: {
  keptOutside: number | null;
  signed: number;
  isLate: boolean;
}) {
  if (keptOutside === null && signed > 0)
    return warning(
      'copies',
      'nothing is kept outside the database',
      'Set ARCHIVE_OUTSIDE_DIR for a process that sends texts.',
    );
  const missing = signed - (keptOutside ?? 0);
  return missing > 0 && isLate
    ? warning('copies', `they lack the last ${missing} entries`, 'Run assent archive copy, and read the server’s log.')
    : ok('copies', `they cover ${keptOutside ?? 0} entries`);
}

function ago(time: Date | null, now: Date): string {
  return time
    ? `the last signature is ${Math.round((now.getTime() - time.getTime()) / 1000)} s old`
    : 'nothing has been signed yet';
}
