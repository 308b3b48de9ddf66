import { loopbackHosts } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import type { ApplicationRow } from '../../store/access/applications.ts';
import * as store from '../../store/access/applications.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hashSecret, makeSecret } from '../shared/secrets.ts';
import { allScopes, isScope } from './scopes.ts';

const nameLengthMax = 100;

export type Application = ApplicationRow;
export type ApplicationInput = {
  name: string;
  redirectUris: string[];
  scopes?: string[];
  /** The name that another identity provider has for it. */
  externalClientId?: string;
};

/** A new application and its client secret, which is shown this once. */
export async function addApplication(
  deps: Deps,
  { name, redirectUris, scopes = allScopes, externalClientId }: ApplicationInput,
  by: By = byOperator,
): Promise<{ application: Application; clientSecret: string }> {
  checkName(name);
  for (const scope of scopes) if (!isScope(scope)) throw problem('invalid_request', `There is no scope ${scope}.`);
  for (const uri of redirectUris) checkRedirectUri(deps, uri);
  const clientSecret = makeSecret('clientSecret', deps.config.environment);
  const given = {
    clientId: makeSecret('clientId', deps.config.environment),
    name,
    secretHash: hashSecret(clientSecret),
    scopes,
    redirectUris,
    externalClientId: externalClientId ? await freeExternalId(deps, externalClientId) : null,
  };
  return deps.db.transaction(async (db) => {
    const application = await store.insertApplication(db, given, deps.clock.now());
    if (!application) throw takenExternalId();
    const { secretHash: _, ...values } = application;
    await archiveSetting({ ...deps, db }, by, { what: 'application added', of: idsOf(application), values });
    return { application, clientSecret };
  });
}

/** Connects an application to the name that another identity provider has for it; an empty name ends that. */
export async function setExternalClientId(
  deps: Deps,
  clientId: string,
  externalClientId: string,
  by: By = byOperator,
): Promise<void> {
  const name = externalClientId ? await freeExternalId(deps, externalClientId) : null;
  await change(deps, clientId, async (application, within) => {
    if (application.externalClientId === name) return;
    if (!(await store.updateExternalClientId(within.db, application.applicationId, name))) throw takenExternalId();
    const values = { externalClientId: { from: application.externalClientId, to: name } };
    await archiveSetting(within, by, { what: 'application set', of: idsOf(application), values });
  });
}

export async function rotateSecret(deps: Deps, clientId: string, by: By = byOperator): Promise<string> {
  const clientSecret = makeSecret('clientSecret', deps.config.environment);
  await change(deps, clientId, async (application, within) => {
    await store.updateApplication(within.db, application.applicationId, { secretHash: hashSecret(clientSecret) });
    await archiveSetting(within, by, { what: 'application secret rotated', of: idsOf(application), values: {} });
  });
  return clientSecret;
}

/** From the next second on, every node refuses its tokens and keys. */
export async function disableApplication(deps: Deps, clientId: string, by: By = byOperator): Promise<void> {
  await change(deps, clientId, async (application, within) => {
    if (application.disabled) return;
    await store.updateApplication(within.db, application.applicationId, { disabled: true });
    await archiveSetting(within, by, { what: 'application disabled', of: idsOf(application), values: {} });
  });
}

async function change(
  deps: Deps,
  clientId: string,
  work: (application: Application, within: Deps) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    await work(await getApplication(within, clientId), within);
  });
}

function idsOf({ applicationId, clientId }: Application) {
  return { applicationId, clientId };
}

export async function getApplication(deps: Deps, clientId: string): Promise<Application> {
  const application = await store.findApplication(deps.db, clientId);
  if (!application) throw problem('not_found', `There is no application ${clientId}.`);
  return application;
}

/** The application, as long as it is on: what an OAuth client id stands for. */
export async function findClient(deps: Deps, clientId: string): Promise<Application | null> {
  const application = await store.findApplication(deps.db, clientId);
  return application && !application.disabled ? application : null;
}

export async function listApplications(deps: Deps): Promise<Application[]> {
  return store.listApplications(deps.db);
}

/** Our own names come first where a token names an application: one that is another's here would never be found. */
async function freeExternalId(deps: Deps, externalClientId: string): Promise<string> {
  if (await store.findApplication(deps.db, externalClientId)) throw takenExternalId();
  return externalClientId;
}

function takenExternalId() {
  return problem('invalid_request', 'Another application has that external client id.');
}

/** Advisors decide by the name that they read: what hides or turns characters around has no place in it. */
function checkName(name: string): void {
  if (
    name.trim() === '' ||
    name.length > nameLengthMax ||
    /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(name)
  )
    throw problem(
      'invalid_request',
      `An application needs a name of 1 to ${nameLengthMax} characters that can all be seen.`,
    );
}

/** HTTPS, exact, no wildcard, no fragment; `http` on a loopback host in the sandbox only. */
function checkRedirectUri(deps: Deps, uri: string): void {
  const url = URL.parse(uri);
  const loopback =
    deps.config.environment === 'sandbox' && url?.protocol === 'http:' && loopbackHosts.includes(url.hostname);
  const odd = /[#*\\\s\p{Cc}]/u.test(uri) || url?.username || url?.password;
  if (!url || !(url.protocol === 'https:' || loopback) || odd)
    throw problem('invalid_request', `${uri} is not a redirect URI: it must be https, exact, without * and #.`);
}
