import { loopbackHosts } from '../../config.ts';
import { type Deps, inTransaction } from '../../deps.ts';
import { findFailing, insertStreams, resumeStreams } from '../../store/webhooks/streams.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import * as store from '../../store/webhooks/webhooks.ts';
import { changeApplication, getApplication } from '../access/applications.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { newSigningSecret } from '../shared/secrets.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { pushedTypes } from './pushed-events.ts';

export type Webhook = Awaited<ReturnType<typeof listWebhooks>>[number];

/** By its id; or an application's, or that with this address. */
export type WebhookName = { webhookId: number } | { clientId: string; url?: string | undefined };

const overlapMs = dayMs;
const endpointsMax = 16;

/**
 * A further endpoint of the application, which gets the types of events that it asks for, or all. Returns its secret, which is
 * shown only once.
 */
export async function addWebhook(
  deps: Deps,
  clientId: string,
  url: string,
  types: string[] | null = null,
  by: By = byOperator,
): Promise<string> {
  return (await insertWebhook(deps, clientId, { url, types }, by)).secret;
}

/** `listenedUntil`: it ends then, unless it is renewed. */
export async function insertWebhook(
  deps: Deps,
  clientId: string,
  { url, types, listenedUntil = null }: Pick<WebhookRow, 'url' | 'types'> & { listenedUntil?: Date | null },
  by: By = byOperator,
): Promise<{ webhookId: number; secret: string }> {
  return changeApplication(deps, clientId, async (deps, { applicationId }) => {
    const { secret, ...given } = newWebhook(deps, applicationId, url, types);
    const existing = await store.listWebhooks(deps.db, applicationId);
    if (existing.length >= endpointsMax)
      throw problem('conflict', `The application has ${endpointsMax} webhooks, which is the most. Remove one first.`);
    const webhookId = await store.insertWebhook(deps.db, { ...given, listenedUntil }, deps.databaseClock.now());
    if (webhookId === null)
      throw problem('conflict', `The application has a webhook at ${url} already. Remove it first.`);
    await insertStreams(deps.db, { applicationId });
    await archive(deps, by, 'webhook added', { applicationId, clientId, url }, { types });
    return { webhookId, secret };
  });
}

/**
 * Puts this endpoint in the place of the application's only one, if there is one, and switches it on. Returns the secret, which
 * is shown only once. If the one before was switched off, this goes on where that was.
 */
export async function setWebhook(
  deps: Deps,
  clientId: string,
  url: string,
  types: string[] | null = null,
): Promise<string> {
  return changeApplication(deps, clientId, async (deps, { applicationId }) => {
    const [existing, ...others] = await store.listWebhooks(deps.db, applicationId);
    if (!existing) return addWebhook(deps, clientId, url, types);
    if (others.length > 0)
      throw problem(
        'conflict',
        `The application has ${others.length + 1} webhooks: use webhooks add and webhooks remove.`,
      );
    const { secret, ...given } = newWebhook(deps, applicationId, url, types);
    await store.updateWebhook(deps.db, existing.webhookId, given);
    await insertStreams(deps.db, { applicationId });
    await resumeStreams(deps.db, existing.webhookId, { isReplaced: true });
    await archive(deps, byOperator, 'webhook set', { applicationId, clientId, url }, { types });
    return secret;
  });
}

export async function removeWebhook(deps: Deps, name: WebhookName, by: By = byOperator): Promise<void> {
  await deleteWebhook(deps, await findWebhook(deps, name), by);
}

export async function deleteWebhook(deps: Deps, webhook: WebhookRow, by: By = byOperator): Promise<void> {
  await inTransaction(deps, async (deps) => {
    await store.deleteWebhook(deps.db, webhook.webhookId);
    await archive(deps, by, 'webhook removed', webhook);
  });
}

/** A new secret. For a day, deliveries are signed with the old one too, so that the application can change over. */
export async function rotateWebhookSecret(deps: Deps, name: WebhookName, by: By = byOperator): Promise<string> {
  const webhook = await findWebhook(deps, name);
  const secret = newSigningSecret();
  const rotated = {
    webhookId: webhook.webhookId,
    sealedSecret: deps.sealer.seal(secret, secretOf(webhook)),
    sealedOldSecret: webhook.sealedSecret,
    oldSecretUntil: realTimeIn(deps, overlapMs),
  };
  await inTransaction(deps, async (deps) => {
    if (!(await store.updateSecrets(deps.db, rotated, webhook)))
      throw problem(
        'conflict',
        'The webhook’s secret has just been replaced. Rotate it again if it should be another.',
      );
    await archive(deps, by, 'webhook secret rotated', webhook);
  });
  return secret;
}

export async function disableWebhook(deps: Deps, name: WebhookName, by: By = byOperator): Promise<void> {
  await switchOff(deps, await findWebhook(deps, name), 'by the operator', by);
}

/** False if it was off, or another endpoint is in its place: nodes learn of that a moment later. */
export async function switchOff(deps: Deps, webhook: WebhookRow, reason: string, by: By): Promise<boolean> {
  return inTransaction(deps, async (deps) => {
    const isSwitched = await store.disableWebhook(deps.db, webhook, reason, deps.databaseClock.now());
    if (isSwitched) await archive(deps, by, 'webhook disabled', webhook, { reason });
    return isSwitched;
  });
}

/** It goes on where it was. */
export async function enableWebhook(deps: Deps, name: WebhookName, by: By = byOperator): Promise<void> {
  const webhook = await findWebhook(deps, name);
  await inTransaction(deps, async (deps) => {
    if (await store.enableWebhook(deps.db, webhook.webhookId)) await archive(deps, by, 'webhook enabled', webhook);
    await resumeStreams(deps.db, webhook.webhookId);
  });
}

/** Unless it is on: since when, and for how many advisors it fails, or why it was switched off. If it is, what it depends on. */
export async function listWebhooks(deps: Deps) {
  const rows = await store.listWebhooks(deps.db);
  return Promise.all(
    rows.map(async (row) => {
      const { webhookId, clientId, applicationName: application, url, types, disabledAt, disabledReason } = row;
      const shown = { webhookId, clientId, application, url, types: types ?? ('all' as const) };
      if (disabledAt) return { ...shown, status: 'off' as const, since: disabledAt, reason: disabledReason };
      const { failing, failingSince: since } = await findFailing(deps.db, webhookId);
      if (!since)
        return { ...shown, status: 'on' as const, since, reason: row.listenedUntil && 'while assent listen runs' };
      return {
        ...shown,
        status: 'failing' as const,
        since,
        reason: failing === 1 ? 'for 1 advisor' : `for ${failing} advisors`,
      };
    }),
  );
}

/** How many endpoints are switched off, for operators to watch. */
export async function countDisabled({ db }: Pick<Deps, 'db'>): Promise<number> {
  return (await store.listWebhooks(db)).filter(({ disabledAt }) => disabledAt).length;
}

/** The only endpoint of that name. */
export async function findWebhook(deps: Deps, name: WebhookName): Promise<WebhookRow> {
  const [found, ...others] = await findWebhooks(deps, name);
  if (!found) throw problem('not_found', 'The application has no webhook: add one first.');
  if (others.length === 0) return found;
  const urls = [found, ...others].map(({ url }) => `\n  ${url}`);
  throw problem('conflict', `The application has several webhooks: name the address of one.${urls.join('')}`);
}

export async function findWebhooks(deps: Deps, name: WebhookName): Promise<WebhookRow[]> {
  if ('webhookId' in name) {
    const found = (await store.listWebhooks(deps.db)).filter((row) => row.webhookId === name.webhookId);
    if (found.length === 0) throw problem('not_found', `There is no webhook ${name.webhookId}.`);
    return found;
  }
  const { applicationId } = await getApplication(deps, name.clientId);
  const rows = await store.listWebhooks(deps.db, applicationId);
  const { url } = name;
  if (url === undefined) return rows;
  const named = rows.filter((row) => row.url === url);
  if (named.length === 0) throw problem('not_found', `The application has no webhook at ${url}.`);
  return named;
}

export function secretsOf(
  { sealer, databaseClock }: Pick<Deps, 'sealer' | 'databaseClock'>,
  webhook: WebhookRow,
): string[] {
  const { sealedSecret, sealedOldSecret, oldSecretUntil } = webhook;
  const isOldValid = sealedOldSecret !== null && oldSecretUntil !== null && oldSecretUntil > databaseClock.now();
  const sealed = isOldValid ? [sealedSecret, sealedOldSecret] : [sealedSecret];
  return sealed.map((each) => sealer.open(each, secretOf(webhook)));
}

/** Seals every secret again with the first key; returns how many. */
export async function resealWebhookSecrets(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const row of await store.listWebhooks(deps.db)) {
    const of = secretOf(row);
    const again = (sealed: Buffer) => deps.sealer.seal(deps.sealer.open(sealed, of), of);
    const sealedOldSecret = row.sealedOldSecret && again(row.sealedOldSecret);
    if (await store.updateSecrets(deps.db, { ...row, sealedSecret: again(row.sealedSecret), sealedOldSecret }, row))
      resealed += 1;
  }
  return resealed;
}

function newWebhook(deps: Deps, applicationId: number, url: string, types: string[] | null) {
  checkUrl(deps, url);
  const unknown = types?.find((type) => !pushedTypes.includes(type));
  if (unknown !== undefined || types?.length === 0)
    throw problem(
      'invalid_request',
      `${unknown ?? 'Nothing'} is not a type of event. Types: ${pushedTypes.join(', ')}.`,
    );
  const secret = newSigningSecret();
  const sealedSecret = deps.sealer.seal(secret, secretOf({ applicationId, url }));
  return { applicationId, url, types: types && [...new Set(types)], secret, sealedSecret };
}

async function archive(
  deps: Deps,
  by: By,
  what: string,
  { applicationId, clientId, url }: Pick<WebhookRow, 'applicationId' | 'clientId' | 'url'>,
  values: Pick<WebhookRow, 'types'> | object = {},
): Promise<void> {
  await archiveSetting(deps, by, { what, of: { applicationId, clientId }, values: { url, ...values } });
}

function checkUrl({ config }: Deps, text: string): void {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.hash)
    throw problem('invalid_request', `${text} is not a web address without a user, password or fragment.`);
  const isLoopback = config.environment === 'sandbox' && loopbackHosts.includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    throw problem(
      'invalid_request',
      'The address of a webhook must begin with https://; in the sandbox, http:// on this machine will do.',
    );
}

/** What a secret is sealed for: no other endpoint can use it. */
function secretOf({ applicationId, url }: Pick<WebhookRow, 'applicationId' | 'url'>): string {
  return `webhooks/${applicationId}/${url}`;
}
