import type { Deps } from '../../deps.ts';
import { findLastVerification } from '../../store/archive/verifications.ts';
import { examineDeployment } from './doctor.ts';
import type { CheckFinding } from './findings.ts';

/** Something that somebody is told of. */
export type Condition = { about: string; says: string };

/** A WAL file is archived every minute, so an older one means that nothing is backed up. */
const backupMaxAgeMs = 24 * 60 * 60 * 1000;

/** What needs a person now: a process that sends nothing, a carrier that is down, an archive that doesn't verify, a backup that is old. */
export async function findConditions(deps: Deps): Promise<Condition[]> {
  const findings = await examineDeployment(deps);
  const verification = await findLastVerification(deps.db);
  const isBroken = verification?.verdict === 'altered' || verification?.verdict === 'incomplete';
  return [
    ...findings.flatMap(conditionOf),
    ...(isBroken
      ? [{ about: 'verification', says: `The last verification of the archive found ${verification.faults} faults.` }]
      : []),
  ];
}

function conditionOf({ check, state, says, at }: CheckFinding): Condition[] {
  const sentence = `${says[0]?.toUpperCase()}${says.slice(1)}.`;
  if (check.startsWith('carrier ') && state === 'failing')
    return [{ about: check.replace('carrier ', 'carrier:'), says: sentence }];
  if ((check === 'archive' || check === 'processes') && state === 'failing') return [{ about: check, says: sentence }];
  if (check !== 'WAL archive') return [];
  const isOld = at !== undefined && Date.now() - at.getTime() > backupMaxAgeMs;
  return state !== 'ok' || isOld ? [{ about: 'backup', says: sentence }] : [];
}
