import type { Deps } from '../../deps.ts';
import { findRestored } from '../archive/archive-status.ts';
import { listNumbers } from '../carriers/numbers.ts';
import { checkArchive } from './archive-checks.ts';
import type { CheckFinding } from './findings.ts';
import { readOverview } from './overview.ts';
import { checkSettings } from './settings-checks.ts';
import { checkTexting } from './texting-checks.ts';

/** Every check that a running node can make, with its own settings. */
export async function examineDeployment(deps: Deps): Promise<CheckFinding[]> {
  return [...checkSettings(deps.config), ...(await deps.diagnose()), ...(await checkRecords(deps))];
}

/** The archive, and whether texts go out: what the database's rows say. */
export async function checkRecords(deps: Deps): Promise<CheckFinding[]> {
  const overview = await readOverview(deps);
  const restored = await findRestored(deps);
  return [
    ...checkArchive(overview, deps.config, { restored, realNow: new Date() }),
    ...checkTexting(overview, await listNumbers(deps), deps.config),
  ];
}
