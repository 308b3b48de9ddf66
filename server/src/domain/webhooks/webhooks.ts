import { randomBytes } from 'node:crypto';
import { loopbackHosts } from '../../config.ts';
import { type Deps, inTransaction } from '../../deps.ts';
import { findFailing, insertStreams, resumeStreams } from '../../store/webhooks/streams.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import * as store from '../../store/webhooks/webhooks.ts';
import { getApplication } from '../access/applications.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { dayMs } from '../shared/time.ts';

export type Webhook = {
  clientId: string;
  application: string;
  url: string;
  status: 'on' | 'failing' | 'off';
  /** Since when it fails, or why and when it was switched off. */
  note: string | null;
};

const overlapMs = dayMs;
const secretBytes = 32;

/**
 * Sets where the application is told what happens, and switches that on. Returns the secret, which is shown only once. If it
 * was switched off, it goes on where it was.
 */
export async function setWebhook(deps: Deps, clientId: string, url: string): Promise<string> {
  const { applicationId } = await getApplication(deps, clientId);
  checkUrl(deps, url);
  const secret = makeSecret();
  const sealedSecret = deps.sealer.seal(secret, secretOf(applicationId));
  await inTransaction(deps, async (deps) => {
    await store.upsertWebhook(deps.db, { applicationId, url, sealedSecret }, new Date());
    await insertStreams(deps.db, { applicationId });
    await resumeStreams(deps.db, applicationId);
    const of = { applicationId, clientId };
    await archiveSetting(deps, byOperator, { what: 'webhook set', of, values: { url } });
  });
  return secret;
}

/** A new secret. For a day, deliveries are signed with the old one too, so that the application can change over. */
export async function rotateWebhookSecret(deps: Deps, clientId: string): Promise<string> {
  const { applicationId, sealedSecret } = await findWebhook(deps, clientId);
  const secret = makeSecret();
  const rotated = {
    applicationId,
    sealedSecret: deps.sealer.seal(secret, secretOf(applicationId)),
    sealedOldSecret: sealedSecret,
    oldSecretUntil: new Date(Date.now() + overlapMs),
  };
  await inTransaction(deps, async (deps) => {
    await store.updateSecrets(deps.db, rotated);
    const of = { applicationId, clientId };
    await archiveSetting(deps, byOperator, { what: 'webhook secret rotated', of, values: {} });
  });
  return secret;
}

export async function disableWebhook(deps: Deps, clientId: string): Promise<void> {
  const { applicationId } = await findWebhook(deps, clientId);
  await inTransaction(deps, async (deps) => {
    if (!(await store.disableWebhook(deps.db, applicationId, 'by the operator', new Date()))) return;
    const of = { applicationId, clientId };
    await archiveSetting(deps, byOperator, { what: 'webhook disabled', of, values: {} });
  });
}

export async function listWebhooks(deps: Deps): Promise<Webhook[]> {
  const rows = await store.listWebhooks(deps.db);
  return Promise.all(
    rows.map(async ({ applicationId, clientId, applicationName: application, url, disabledAt, disabledReason }) => {
      const shown = { clientId, application, url };
      if (disabledAt)
        return { ...shown, status: 'off' as const, note: `Since ${disabledAt.toISOString()}: ${disabledReason}.` };
      const { failing, failingSince } = await findFailing(deps.db, applicationId);
      if (!failingSince) return { ...shown, status: 'on' as const, note: null };
      const note = `For ${failing} advisors, the longest since ${failingSince.toISOString()}.`;
      return { ...shown, status: 'failing' as const, note };
    }),
  );
}

/** How many endpoints are switched off, for operators to watch. */
export async function countDisabled({ db }: Pick<Deps, 'db'>): Promise<number> {
  return (await store.listWebhooks(db)).filter(({ disabledAt }) => disabledAt).length;
}

export async function findWebhook(deps: Deps, clientId: string): Promise<WebhookRow> {
  const { applicationId } = await getApplication(deps, clientId);
  const row = await store.findWebhook(deps.db, applicationId);
  if (!row) throw problem('not_found', 'The application has no webhook: set one first.');
  return row;
}

export function secretsOf({ sealer }: Pick<Deps, 'sealer'>, webhook: WebhookRow): string[] {
  const { applicationId, sealedSecret, sealedOldSecret, oldSecretUntil } = webhook;
  const isOldValid = sealedOldSecret !== null && oldSecretUntil !== null && oldSecretUntil.getTime() > Date.now();
  const sealed = isOldValid ? [sealedSecret, sealedOldSecret] : [sealedSecret];
  return sealed.map((each) => sealer.open(each, secretOf(applicationId)));
}

/** Seals every secret again with the first key; returns how many. */
export async function resealWebhookSecrets(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const row of await store.listWebhooks(deps.db)) {
    const of = secretOf(row.applicationId);
    const again = (sealed: Buffer) => deps.sealer.seal(deps.sealer.open(sealed, of), of);
    const sealedOldSecret = row.sealedOldSecret && again(row.sealedOldSecret);
    await store.updateSecrets(deps.db, { ...row, sealedSecret: again(row.sealedSecret), sealedOldSecret });
    resealed += 1;
  }
  return resealed;
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

/** As Standard Webhooks writes it. */
function makeSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

function secretOf(applicationId: number): string {
  return `webhooks/${applicationId}`;
}
