import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { type CarrierRow, listCarriers } from '../../store/carriers/carriers.ts';
import { findRestored } from '../archive/archive-status.ts';
import { listNumbers } from '../carriers/numbers.ts';
import { apartMsMax } from '../shared/database-clock.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';
import { type Overview, readOverview } from './overview.ts';
import { checkSettings } from './settings-checks.ts';
import { checkTexting } from './texting-checks.ts';
import { checkWebBuild } from './web-build.ts';

/** Every check that a running node can make, with its own settings. */
export async function examineDeployment(deps: Deps): Promise<CheckFinding[]> {
  const { config } = deps;
  return [
    ...checkSettings(config),
    ...checkWebBuild(config),
    ...(await deps.diagnose()),
    ...(await checkRecords(deps)),
  ];
}

/** The archive, and whether texts go out: what the database's rows say. */
export async function checkRecords(deps: Deps): Promise<CheckFinding[]> {
  const overview = await readOverview(deps);
  const restored = await findRestored(deps);
  return [
    ...checkTime(deps),
    ...checkSecrets(deps, await listCarriers(deps.db)),
    ...checkArchive(overview, deps.config, { restored, realNow: deps.databaseClock.now() }),
    ...checkTexting(overview, await listNumbers(deps), deps.config),
  ];
}

/** How far this machine's clock is off is in what `diagnose` says. */
function checkTime({ databaseClock }: Deps): CheckFinding[] {
  if (databaseClock.aheadMs() > apartMsMax || databaseClock.aheadMs() < -apartMsMax) return [];
  const fault = databaseClock.fault();
  return fault ? [failing('clock', fault, 'docs/operators/running.md#clocks says what to do.')] : [];
}

/**
 * Whether this process's key is the one that the others have. Carriers tell: keys that sign tokens may be from a process that ran
 * with a wrong one for a moment, and do no harm.
 */
function checkSecrets({ sealer }: Deps, carriers: CarrierRow[]): CheckFinding[] {
  const sealed = carriers.flatMap(({ name, sealedSettings }) => (sealedSettings ? { name, sealedSettings } : []));
  if (sealed.length === 0) return [];
  const closed = sealed.filter(({ sealedSettings }) => !sealer.canOpen(sealedSettings)).map(({ name }) => name);
  if (closed.length === 0) return [ok('secrets', 'CREDENTIALS_KEY opens them')];
  const says = `CREDENTIALS_KEY doesn’t open the settings of ${closed.join(', ')}: a process with this key sends nothing through them`;
  return [failing('secrets', says, 'Give this process the CREDENTIALS_KEY of the others, all of its keys.')];
}

/** A server signs every two seconds and copies at once. */
const behindAfterMs = 60_000;

/** How far the archive is signed and copied, and what is wrong with it. `restored` says that the database is an earlier one. */
function checkArchive(
  { archive, texts }: Overview,
  { role }: Pick<Config, 'role'>,
  { restored, realNow }: { restored: string | null; realNow: Date },
): CheckFinding[] {
  const { fault, copiesFault, memoryFault, entries, signed, waiting, keptOutside, lastSigned, key } = archive;
  const guide = 'docs/operators/running.md#the-archives-key-and-checkpoints says what to do.';
  const altered = alteredFindings(texts);
  if (restored) return [failing('archive', restored, 'docs/operators/backup.md#after-a-restore says what to do.')];
  const faults = [fault, copiesFault, memoryFault].filter((each) => each !== null);
  if (faults.length + altered.length > 0) return [...faults.map((each) => failing('archive', each, guide)), ...altered];
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

function alteredFindings({ alteredLastDay: altered }: Overview['texts']): CheckFinding[] {
  if (altered === 0) return [];
  const says = `${altered} texts of the last day were refused: their rows are not what their entries say`;
  return [failing('archive', says, 'docs/operators/monitoring.md#texts-that-were-altered says what to do.')];
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
