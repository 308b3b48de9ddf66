import { loopbackHosts } from '../../config.ts';
import { type Deps, inTransaction } from '../../deps.ts';
import type { ApplicationRow } from '../../store/access/applications.ts';
import * as store from '../../store/access/applications.ts';
import { archiveSetting, changesOf } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem, requireFound } from '../problems.ts';
import { hashSecret, makeSecret } from '../shared/secrets.ts';
import { allScopes, isScope } from './scopes.ts';

const nameLengthMax = 100;

export type Application = ApplicationRow;
export type ApplicationInput = {
  name: string;
  redirectUris: string[];
  scopes?: string[];
};

/** A new application and its client secret, which is shown only once. `known` are the credentials that it had before. */
export async function addApplication(
  deps: Deps,
  { name, redirectUris, scopes = allScopes }: ApplicationInput,
  by: By = byOperator,
  known?: { clientId: string; clientSecret: string },
): Promise<{ application: Application; clientSecret: string }> {
  checkName(name);
  checkUrisAndScopes(deps, { redirectUris, scopes });
  const clientSecret = known?.clientSecret ?? makeSecret('clientSecret', deps.config.environment);
  const given = {
    clientId: known?.clientId ?? makeSecret('clientId', deps.config.environment),
    name,
    secretHash: hashSecret(clientSecret),
    scopes,
    redirectUris,
  };
  return inTransaction(deps, async (deps) => {
    const application = await store.insertApplication(deps.db, given, deps.clock.now());
    const { secretHash: _, ...values } = application;
    await archiveSetting(deps, by, { what: 'application added', of: idsOf(application), values });
    return { application, clientSecret };
  });
}

/** Scopes are those that advisors can allow from now on. */
export type ApplicationChange = { redirectUris?: string[]; scopes?: string[] };

export async function setApplication(
  deps: Deps,
  clientId: string,
  { redirectUris, scopes }: ApplicationChange,
  by: By = byOperator,
): Promise<void> {
  checkUrisAndScopes(deps, { redirectUris, scopes });
  await changeApplication(deps, clientId, async (deps, application) => {
    const given = { ...(redirectUris && { redirectUris }), ...(scopes && { scopes }) };
    const values = changesOf(application, given);
    if (!values) return;
    await store.updateApplication(deps.db, application.applicationId, given);
    await archiveSetting(deps, by, { what: 'application set', of: idsOf(application), values });
  });
}

export async function rotateSecret(deps: Deps, clientId: string, by: By = byOperator): Promise<string> {
  const clientSecret = makeSecret('clientSecret', deps.config.environment);
  await changeApplication(deps, clientId, async (deps, application) => {
    await store.updateApplication(deps.db, application.applicationId, { secretHash: hashSecret(clientSecret) });
    await archiveSetting(deps, by, { what: 'application secret rotated', of: idsOf(application), values: {} });
  });
  return clientSecret;
}

/** Within a second, every node refuses its tokens and keys. */
export async function disableApplication(deps: Deps, clientId: string, by: By = byOperator): Promise<void> {
  await changeApplication(deps, clientId, async (deps, application) => {
    if (application.disabled) return;
    await store.updateApplication(deps.db, application.applicationId, { disabled: true });
    await archiveSetting(deps, by, { what: 'application disabled', of: idsOf(application), values: {} });
  });
}

/** One change of an application, or of what is its, at a time. */
export async function changeApplication<Result>(
  deps: Deps,
  clientId: string,
  work: (deps: Deps, application: Application) => Promise<Result>,
): Promise<Result> {
  return inTransaction(deps, async (deps) =>
    work(deps, requireKnown(await store.findApplicationForUpdate(deps.db, clientId), clientId)),
  );
}

function idsOf({ applicationId, clientId }: Application) {
  return { applicationId, clientId };
}

export async function getApplication(deps: Deps, clientId: string): Promise<Application> {
  return requireKnown(await store.findApplication(deps.db, clientId), clientId);
}

function requireKnown(application: Application | null, clientId: string): Application {
  return requireFound(application, `There is no application ${clientId}.`);
}

/** The application behind an OAuth client id, unless it is disabled. */
export async function findClient(deps: Deps, clientId: string): Promise<Application | null> {
  const application = await store.findApplication(deps.db, clientId);
  return application && !application.disabled ? application : null;
}

export async function listApplications(deps: Deps): Promise<Application[]> {
  return store.listApplications(deps.db);
}

/** Advisors decide by the name they read, so it can't contain characters that are invisible or reverse the text. */
function checkName(name: string): void {
  if (
    name.trim() === '' ||
    name.length > nameLengthMax ||
    /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(name)
  )
    throw problem('invalid_request', `An application needs a name of 1 to ${nameLengthMax} visible characters.`);
}

function checkUrisAndScopes(
  deps: Deps,
  { redirectUris = [], scopes = [] }: { redirectUris?: string[] | undefined; scopes?: string[] | undefined },
): void {
  for (const scope of scopes) if (!isScope(scope)) throw problem('invalid_request', `There is no scope ${scope}.`);
  for (const uri of redirectUris) checkRedirectUri(deps, uri);
}

/** HTTPS, exact, no wildcard, no fragment; `http` only on a loopback host in the sandbox. */
function checkRedirectUri(deps: Deps, uri: string): void {
  const url = URL.parse(uri);
  const loopback =
    deps.config.environment === 'sandbox' && url?.protocol === 'http:' && loopbackHosts.includes(url.hostname);
  const odd = /[#*\\\s\p{Cc}]/u.test(uri) || url?.username || url?.password;
  if (!url || !(url.protocol === 'https:' || loopback) || odd)
    throw problem('invalid_request', `${uri} is not a redirect URI: it must be https and exact, without * or #.`);
}
