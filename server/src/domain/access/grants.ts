import { randomUUID } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { GrantKind, GrantRow } from '../../store/access/grants.ts';
import * as store from '../../store/access/grants.ts';
import {
  deleteSuspendedProvision,
  findSuspendedProvision,
  insertSuspendedProvision,
  listSuspendedProvisions,
} from '../../store/access/suspended-provisions.ts';
import { insertEvents } from '../../store/events/new-events.ts';
import { endStreams, insertStreams, skipUnreadable } from '../../store/webhooks/streams.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byAdvisor, byApplication, byOperator, byService } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { archiveSignIn } from '../sign-in/sign-in-records.ts';
import { type Application, getApplication } from './applications.ts';
import { eventScope, textScopes } from './scopes.ts';

export type Grant = GrantRow;

/** Why an application can no longer act for an advisor, as it is told. */
export const endReasons = ['disconnected', 'revoked', 'token_reused', 'unprovisioned'] as const;

export type Connection = {
  clientId: string;
  applicationName: string;
  /** What the advisor allowed, and since when; null if only the operator did. */
  authorized: { scopes: string[]; since: Date; lastUsed: Date | null } | null;
  /** The operator lets it text for the advisor with client credentials. */
  provisioned: boolean;
};

/**
 * The advisor allows the application these scopes. There is one authorization per advisor and application: allowing
 * again adds to it, so that the tokens the application already holds keep working. It also restores the client credentials
 * that the advisor ended by a disconnect.
 */
export async function authorize(
  deps: Deps,
  advisorId: number,
  { clientId, scopes }: { clientId: string; scopes: string[] },
  traceId: string | null = null,
): Promise<string> {
  const application = await getApplication(deps, clientId);
  const { applicationId } = application;
  return inTransaction(deps, async (deps) => {
    const { grantId } = await makeGrant(deps, { advisorId, applicationId, kind: 'authorized', scopes });
    const provisioned = await deleteSuspendedProvision(deps.db, { advisorId, applicationId });
    if (provisioned)
      await makeGrant(deps, { advisorId, applicationId, kind: 'provisioned', scopes: textScopesOf(application) });
    const allowed = { action: 'application allowed', of: { applicationId, clientId } } as const;
    const values = { scopes, ...(provisioned ? { provisioned } : {}) };
    await archiveSignIn(deps, byAdvisor(advisorId, traceId), { advisorId }, { ...allowed, values });
    return grantId;
  });
}

/** Whether allowing the application would also restore the client credentials that the advisor ended. */
export async function isSuspended(deps: Deps, advisorId: number, clientId: string): Promise<boolean> {
  const { applicationId } = await getApplication(deps, clientId);
  return findSuspendedProvision(deps.db, { advisorId, applicationId });
}

/** Lets the application act for the advisor with client credentials, for those of its scopes that are text scopes. */
export async function provision(deps: Deps, advisorId: number, clientId: string, by: By = byOperator): Promise<void> {
  const application = await getApplication(deps, clientId);
  const { applicationId } = application;
  const texting = textScopesOf(application);
  if (texting.length === 0)
    throw problem(
      'invalid_request',
      'The application has no text scope, and client credentials carry no other scopes.',
    );
  await inTransaction(deps, async (deps) => {
    const { isChanged } = await makeGrant(deps, { advisorId, applicationId, kind: 'provisioned', scopes: texting });
    await deleteSuspendedProvision(deps.db, { advisorId, applicationId });
    const setting = { advisorId, what: 'application provisioned', of: { applicationId, clientId } };
    if (isChanged) await archiveSetting(deps, by, { ...setting, values: { scopes: texting } });
  });
}

/** Undoes that; tokens that the application got this way end with it. */
export async function unprovision(deps: Deps, advisorId: number, clientId: string, by: By = byOperator): Promise<void> {
  const { applicationId } = await getApplication(deps, clientId);
  await inTransaction(deps, async (deps) => {
    const suspended = await deleteSuspendedProvision(deps.db, { advisorId, applicationId });
    await skipUnreadable(deps.db, { applicationId, advisorId, scope: eventScope });
    if (!(await store.deleteGrantOfKind(deps.db, { advisorId, applicationId, kind: 'provisioned' })) && !suspended)
      throw problem('not_found', 'The application is not provisioned for that advisor.');
    const setting = { advisorId, what: 'application unprovisioned', of: { applicationId, clientId }, values: {} };
    await archiveSetting(deps, by, setting);
    if (!suspended) await tellEnded(deps, applicationId, [advisorId], 'unprovisioned');
  });
}

/** The grant behind tokens that the operator issues, so that disconnecting the application ends them too. */
export async function makeIssuedGrant(
  deps: Deps,
  advisorId: number,
  { clientId, scopes }: { clientId: string; scopes: string[] },
): Promise<string> {
  const { applicationId } = await getApplication(deps, clientId);
  return (await makeGrant(deps, { advisorId, applicationId, kind: 'issued', scopes })).grantId;
}

/** The grant, locked: until the transaction ends, nobody else can use or end it. */
export async function findGrant(deps: Deps, grantId: string): Promise<Grant | null> {
  return store.findGrantForUpdate(deps.db, grantId);
}

/** Ends one grant and its tokens: refresh tokens at once, access tokens within a second on every node. */
export async function endGrant(
  deps: Deps,
  grantId: string,
  { reason, traceId = null }: { reason: 'revoked' | 'used twice'; traceId?: string | null },
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const ending = await findGrant(deps, grantId);
    if (!ending) return;
    const { advisorId, applicationId } = ending;
    await skipUnreadable(deps.db, { applicationId, advisorId, scope: eventScope });
    await store.deleteGrant(deps.db, grantId);
    // The application itself asks for a revocation; the service detects a reuse.
    const by = { ...(reason === 'revoked' ? byApplication(applicationId, '') : byService), traceId };
    const disconnected = { action: 'application disconnected', of: { applicationId }, values: { reason } } as const;
    await archiveSignIn(deps, by, { advisorId }, disconnected);
    await tellEnded(deps, applicationId, [advisorId], reason === 'revoked' ? 'revoked' : 'token_reused');
  });
}

/** The grant behind client credentials: for the given advisor, or for the only one provisioned. */
export async function findProvisioned(
  deps: Deps,
  clientId: string,
  advisorId: number | null,
): Promise<{ grantId: string; advisorId: number } | 'none' | 'several'> {
  const [only, another] = await store.listProvisioned(deps.db, clientId, advisorId);
  if (another) return 'several';
  return only ?? 'none';
}

/** The advisors for whom the operator lets the application text. */
export async function listProvisions(deps: Deps, clientId: string): Promise<{ advisorId: number; name: string }[]> {
  const { applicationId } = await getApplication(deps, clientId);
  return store.listProvisionedAdvisors(deps.db, applicationId);
}

/**
 * Ends all of the application's access to the advisor, or to every advisor. Returns how many had authorized it. A disconnect
 * by the advisor also suspends client credentials; one by the operator, who can unprovision the application, only ends its
 * tokens.
 */
export async function disconnect(
  deps: Deps,
  clientId: string,
  advisorId: number | null,
  by: By = byOperator,
): Promise<number> {
  const { applicationId } = await getApplication(deps, clientId);
  return inTransaction(deps, async (deps) => {
    await skipUnreadable(deps.db, { applicationId, advisorId, scope: eventScope });
    const advisorThemselves = advisorId !== null && by.actor === byAdvisor(advisorId, null).actor;
    const suspended = advisorThemselves && (await suspend(deps, { advisorId, applicationId }));
    const { authorized, grants, ended } = await store.deleteConnections(deps.db, applicationId, advisorId);
    const of = { applicationId, clientId };
    if (grants === 0 && !suspended) return 0;
    if (advisorThemselves) {
      const values = suspended ? { provisioned: false } : {};
      await archiveSignIn(deps, by, { advisorId }, { action: 'application disconnected', of, values });
      if (ended.length === 0) ended.push(advisorId);
    } else {
      const setting = { what: 'application disconnected', of, values: { authorized } };
      await archiveSetting(deps, by, { ...setting, ...(advisorId === null ? {} : { advisorId }) });
    }
    await tellEnded(deps, applicationId, ended, 'disconnected');
    return authorized;
  });
}

/** Ends client credentials until the advisor or the operator allows them again; false if there were none. */
async function suspend(deps: Deps, ids: { advisorId: number; applicationId: number }): Promise<boolean> {
  if (!(await store.deleteGrantOfKind(deps.db, { ...ids, kind: 'provisioned' }))) return false;
  await insertSuspendedProvision(deps.db, ids);
  return true;
}

export async function listConnections(deps: Deps, advisorId: number): Promise<Connection[]> {
  const connections = new Map<string, Connection>();
  const grants = await store.listGrants(deps.db, advisorId);
  for (const { clientId, applicationName, kind, scopes, dateTimeCreated, dateTimeUsed } of grants) {
    if (kind === 'issued') continue;
    const known = connections.get(clientId) ?? { clientId, applicationName, authorized: null, provisioned: false };
    if (kind === 'authorized') known.authorized = { scopes, since: dateTimeCreated, lastUsed: dateTimeUsed };
    else known.provisioned = true;
    connections.set(clientId, known);
  }
  return [...connections.values()];
}

/** What the operator had allowed, and the advisor ended. */
export async function listSuspended({ db }: Deps, advisorId: number) {
  return listSuspendedProvisions(db, advisorId);
}

/** The advisor takes back that they ended the application's client credentials. What they allowed themselves begins in the application. */
export async function allowAgain(deps: Deps, advisorId: number, clientId: string, by: By): Promise<void> {
  const application = await getApplication(deps, clientId);
  const { applicationId } = application;
  await inTransaction(deps, async (deps) => {
    if (!(await deleteSuspendedProvision(deps.db, { advisorId, applicationId }))) return;
    const scopes = textScopesOf(application);
    await makeGrant(deps, { advisorId, applicationId, kind: 'provisioned', scopes });
    const allowed = { action: 'application allowed', of: { applicationId, clientId } } as const;
    await archiveSignIn(deps, by, { advisorId }, { ...allowed, values: { scopes, provisioned: true } });
  });
}

/** Client credentials carry no other scopes. */
function textScopesOf({ scopes }: Application): string[] {
  return textScopes.filter((scope) => scopes.includes(scope));
}

async function makeGrant(
  deps: Deps,
  grant: { advisorId: number; applicationId: number; kind: GrantKind; scopes: string[] },
): Promise<{ grantId: string; isChanged: boolean }> {
  return inTransaction(deps, async ({ db, databaseClock }) => {
    const made = await store.upsertGrant(db, { ...grant, grantId: randomUUID() }, databaseClock.now());
    await insertStreams(db, grant);
    return made;
  });
}

/** Tells the application, inside the transaction that ended its access to these advisors. */
async function tellEnded(
  deps: Deps,
  applicationId: number,
  advisorIds: number[],
  reason: (typeof endReasons)[number],
): Promise<void> {
  const events = advisorIds.map((advisorId) => ({
    advisorId,
    type: 'authorization.ended' as const,
    applicationId,
    reason,
  }));
  await insertEvents(deps.db, events, deps.clock.now());
  for (const advisorId of advisorIds) await endStreams(deps.db, { applicationId, advisorId });
}
