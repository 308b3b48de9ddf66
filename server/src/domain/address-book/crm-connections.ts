import { type Deps, inTransaction } from '../../deps.ts';
import type { CrmConnectionRow } from '../../store/address-book/crm-connections.ts';
import * as store from '../../store/address-book/crm-connections.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { type Crm, type CrmAccess, CrmFault, type CrmKind } from '../ports.ts';
import { problem } from '../problems.ts';
import { numberOf } from '../shared/enumerations.ts';

export type CrmConnection = Omit<CrmConnectionRow, 'sealedSecret'> & { kind: CrmKind };

export const crmSources: Record<CrmKind, number> = {
  carddav: numberOf('source', 'CardDAV'),
  file: numberOf('source', 'File'),
  https: numberOf('source', 'HTTPS lookup'),
};

const checkTimeoutMs = 10_000;
/** A number that nobody has: a CRM that says so has understood the question. */
const checkPhone = '+15005550100';

/** Connects the advisor's CRM once it has answered, replacing the one they had. */
export async function connectCrm(
  deps: Deps,
  advisorId: number,
  access: CrmAccess,
  { daily, check }: { daily: boolean; check: boolean },
): Promise<CrmConnection> {
  if (check) await checkCrm(deps.openCrm(access));
  const { kind, secret, ...settings } = { secret: null, ...access };
  const now = deps.clock.now();
  const sealedSecret = secret === null ? null : deps.sealer.seal(secret, secretOf(advisorId));
  const connection = { kind, settings, sealedSecret, daily, nextSyncAt: daily ? now : null };
  await inTransaction(deps, async (deps) => {
    await store.insertCrmConnection(deps.db, advisorId, connection, now);
    const values = { ...settings, daily };
    await archiveSetting(deps, byOperator, { advisorId, what: 'CRM connected', of: { kind }, values });
  });
  return getCrmConnection(deps, advisorId);
}

export async function getCrmConnection(deps: Deps, advisorId: number): Promise<CrmConnection> {
  return shown(await find(deps, advisorId));
}

export async function listCrmConnections(deps: Deps): Promise<CrmConnection[]> {
  return (await store.listCrmConnections(deps.db)).map(shown);
}

/** Its contacts stay in the book and stay linked, so a CRM that is connected again continues with them. */
export async function disconnectCrm(deps: Deps, advisorId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    if (!(await store.deleteCrmConnection(deps.db, advisorId))) throw noConnection();
    await archiveSetting(deps, byOperator, { advisorId, what: 'CRM disconnected', of: {}, values: {} });
  });
}

export async function openConnection(deps: Deps, advisorId: number): Promise<{ kind: CrmKind; crm: Crm }> {
  const row = await find(deps, advisorId);
  const secret = row.sealedSecret ? { secret: deps.sealer.open(row.sealedSecret, secretOf(advisorId)) } : {};
  // connectCrm split the access into these parts.
  const access = { kind: row.kind, ...row.settings, ...secret } as CrmAccess;
  return { kind: access.kind, crm: deps.openCrm(access) };
}

/** Seals every secret again with the first key; returns how many. */
export async function resealSecrets(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const { advisorId, sealedSecret } of await store.listCrmConnections(deps.db)) {
    if (!sealedSecret) continue;
    const secret = deps.sealer.open(sealedSecret, secretOf(advisorId));
    const to = deps.sealer.seal(secret, secretOf(advisorId));
    await store.updateSealedSecret(deps.db, advisorId, { from: sealedSecret, to });
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
