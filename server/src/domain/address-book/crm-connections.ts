import type { Deps } from '../../deps.ts';
import type { CrmConnectionRow } from '../../store/address-book/crm-connections.ts';
import * as store from '../../store/address-book/crm-connections.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { type Crm, type CrmAccess, CrmFault, type CrmKind, type OpenCrm } from '../ports.ts';
import { problem } from '../problems.ts';
import { numberOf } from '../shared/enumerations.ts';
import type { Sealer } from '../shared/sealing.ts';

/** What the CRM needs beside the rest: how one is reached, and what opens the secrets for it. */
export type CrmDeps = Deps & { openCrm: OpenCrm; sealer: Sealer };

export type CrmConnection = Omit<CrmConnectionRow, 'sealedSecret'> & { kind: CrmKind };

/** The contacts' `source` of each kind. */
export const crmSources: Record<CrmKind, number> = {
  carddav: numberOf('source', 'CardDAV'),
  file: numberOf('source', 'File'),
  https: numberOf('source', 'HTTPS lookup'),
};

const checkTimeoutMs = 10_000;
/** A number that nobody has: whoever says so has understood the question. */
const checkPhone = '+15005550100';

/** Connects the advisor's CRM, in place of one before, once it has answered. */
export async function connectCrm(
  deps: CrmDeps,
  advisorId: number,
  access: CrmAccess,
  { daily, check }: { daily: boolean; check: boolean },
): Promise<CrmConnection> {
  if (check) await checkCrm(deps.openCrm(access));
  const { kind, secret, ...settings } = { secret: null, ...access };
  const now = deps.clock.now();
  const sealedSecret = secret === null ? null : deps.sealer.seal(secret, secretOf(advisorId));
  const connection = { kind, settings, sealedSecret, daily, nextSyncAt: daily ? now : null };
  await deps.db.transaction(async (db) => {
    await store.insertCrmConnection(db, advisorId, connection, now);
    const values = { ...settings, daily };
    await archiveSetting({ ...deps, db }, byOperator, { advisorId, what: 'CRM connected', of: { kind }, values });
  });
  return getCrmConnection(deps, advisorId);
}

export async function getCrmConnection(deps: Deps, advisorId: number): Promise<CrmConnection> {
  return shown(await find(deps, advisorId));
}

export async function listCrmConnections(deps: Deps): Promise<CrmConnection[]> {
  return (await store.listCrmConnections(deps.db)).map(shown);
}

/** Its contacts stay in the book, linked to it as they were: connected again, it goes on with them. */
export async function disconnectCrm(deps: Deps, advisorId: number): Promise<void> {
  await deps.db.transaction(async (db) => {
    if (!(await store.deleteCrmConnection(db, advisorId))) throw noConnection();
    await archiveSetting({ ...deps, db }, byOperator, { advisorId, what: 'CRM disconnected', of: {}, values: {} });
  });
}

export async function openConnection(deps: CrmDeps, advisorId: number): Promise<{ kind: CrmKind; crm: Crm }> {
  const row = await find(deps, advisorId);
  const secret = row.sealedSecret ? { secret: deps.sealer.open(row.sealedSecret, secretOf(advisorId)) } : {};
  // The settings are what connectCrm took apart.
  const access = { kind: row.kind, ...row.settings, ...secret } as CrmAccess;
  return { kind: access.kind, crm: deps.openCrm(access) };
}

/** Seals every secret anew, by the first of the keys; returns how many. */
export async function resealSecrets(deps: CrmDeps): Promise<number> {
  let resealed = 0;
  for (const { advisorId, sealedSecret } of await store.listCrmConnections(deps.db)) {
    if (!sealedSecret) continue;
    const secret = deps.sealer.open(sealedSecret, secretOf(advisorId));
    await store.updateSealedSecret(deps.db, advisorId, deps.sealer.seal(secret, secretOf(advisorId)));
    resealed += 1;
  }
  return resealed;
}

async function checkCrm(crm: Crm): Promise<void> {
  try {
    await crm.lookup(checkPhone, AbortSignal.timeout(checkTimeoutMs));
  } catch (error) {
    if (error instanceof CrmFault) throw problem('conflict', `The CRM can’t be used: ${error.message}`);
    throw error;
  }
}

async function find({ db }: Deps, advisorId: number): Promise<CrmConnectionRow> {
  const row = await store.findCrmConnection(db, advisorId);
  if (!row) throw noConnection();
  return row;
}

function shown({ sealedSecret, ...rest }: CrmConnectionRow): CrmConnection {
  return rest as CrmConnection;
}

function secretOf(advisorId: number): string {
  return `crm_connections/${advisorId}`;
}

function noConnection() {
  return problem('not_found', 'The advisor has no CRM connected.');
}
