import type { Deps } from '../../deps.ts';
import { type CarrierRow, listCarriers } from '../../store/carriers/carriers.ts';
import { findRestored } from '../archive/archive-status.ts';
import { listNumbers } from '../carriers/numbers.ts';
import { apartMsMax } from '../shared/database-clock.ts';
import { checkArchive } from './archive-checks.ts';
import { type CheckFinding, failing, ok } from './findings.ts';
import { readOverview } from './overview.ts';
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
