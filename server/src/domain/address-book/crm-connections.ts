import { type Deps, inTransaction } from '../../deps.ts';
import type { CrmConnectionRow } from '../../store/address-book/crm-connections.ts';
import * as store from '../../store/address-book/crm-connections.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { type Crm, type CrmAccess, CrmFault } from '../ports.ts';
import { problem } from '../problems.ts';

type CrmConnection = Omit<CrmConnectionRow, 'sealedSecret'>;

/** A number that nobody has: a CRM that says so has understood the question. */
const checkPhone = '+15005550100';

/** Connects the advisor's CRM, replacing the one they had; with `check`, once it has answered. */
export async function connectCrm(
  deps: Deps,
  advisorId: number,
  { url, secret }: CrmAccess,
  { check }: { check: boolean },
): Promise<CrmConnection> {
  if (check) await checkCrm(deps, { url, secret });
  const sealedSecret = deps.sealer.seal(secret, secretOf(advisorId));
  await inTransaction(deps, async (deps) => {
    await store.insertCrmConnection(deps.db, advisorId, { url, sealedSecret }, deps.clock.now());
    await archiveSetting(deps, byOperator, { advisorId, what: 'CRM connected', of: {}, values: { url } });
  });
  return getCrmConnection(deps, advisorId);
}

export async function getCrmConnection(deps: Deps, advisorId: number): Promise<CrmConnection> {
  return shown(await find(deps, advisorId));
}

export async function listCrmConnections(deps: Deps): Promise<CrmConnection[]> {
  return (await store.listCrmConnections(deps.db)).map(shown);
}

/** Contacts that it filled in stay in the book and stay linked. */
export async function disconnectCrm(deps: Deps, advisorId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    if (!(await store.deleteCrmConnection(deps.db, advisorId))) throw noConnection();
    await archiveSetting(deps, byOperator, { advisorId, what: 'CRM disconnected', of: {}, values: {} });
  });
}

export async function openConnection(deps: Deps, advisorId: number): Promise<Crm> {
  const { url, sealedSecret } = await find(deps, advisorId);
  return deps.openCrm({ url, secret: deps.sealer.open(sealedSecret, secretOf(advisorId)) });
}

/** Seals every secret again with the first key; returns how many. */
export async function resealSecrets(deps: Deps): Promise<number> {
  const connections = await store.listCrmConnections(deps.db);
  for (const { advisorId, sealedSecret } of connections) {
    const secret = deps.sealer.open(sealedSecret, secretOf(advisorId));
    const to = deps.sealer.seal(secret, secretOf(advisorId));
    await store.updateSealedSecret(deps.db, advisorId, { from: sealedSecret, to });
  }
  return connections.length;
}

async function checkCrm({ openCrm, signals }: Deps, access: CrmAccess): Promise<void> {
  try {
    await openCrm(access).lookup(checkPhone, signals.stopping.signal);
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
  return rest;
}

function secretOf(advisorId: number): string {
  return `crm_connections/${advisorId}`;
}

function noConnection() {
  return problem('not_found', 'The advisor has no CRM connected.');
}
