import type { Deps } from '../../deps.ts';
import type { KeyRow, UsagePlan } from '../../store/access/api-keys.ts';
import * as store from '../../store/access/api-keys.ts';
import { archiveSetting, changesOf } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hashSecret, makeSecret } from '../shared/secrets.ts';
import { getApplication } from './applications.ts';

export type { UsagePlan } from '../../store/access/api-keys.ts';

export const defaultPlan: UsagePlan = { ratePerSecond: 50, burst: 100, dailyQuota: null };
export const unlimited: UsagePlan = { ratePerSecond: null, burst: null, dailyQuota: null };

/** A new key of the application; the key itself is shown this once. */
export async function issueKey(
  deps: Deps,
  clientId: string,
  plan: UsagePlan = defaultPlan,
  by: By = byOperator,
): Promise<{ keyId: number; apiKey: string }> {
  checkPlan(plan);
  const { applicationId } = await getApplication(deps, clientId);
  const apiKey = makeSecret('apiKey', deps.config.environment);
  const key = { applicationId, keyHash: hashSecret(apiKey), hint: `${apiKey.slice(0, -38)}…`, plan };
  return deps.db.transaction(async (db) => {
    const keyId = await store.insertKey(db, key, deps.clock.now());
    await archiveSetting({ ...deps, db }, by, { what: 'key issued', of: { keyId, clientId }, values: plan });
    return { keyId, apiKey };
  });
}

export async function listKeys(deps: Deps): Promise<KeyRow[]> {
  return store.listKeys(deps.db);
}

export async function setPlan(deps: Deps, keyId: number, plan: UsagePlan, by: By = byOperator): Promise<void> {
  checkPlan(plan);
  await change(deps, keyId, async (key, within) => {
    const { ratePerSecond, burst, dailyQuota } = key;
    await store.updateKeyPlan(within.db, keyId, plan);
    const values = changesOf({ ratePerSecond, burst, dailyQuota }, plan);
    if (values) await archiveSetting(within, by, { what: 'key plan set', of: { keyId }, values });
  });
}

/** From the next second on, every node refuses it. */
export async function revokeKey(deps: Deps, keyId: number, by: By = byOperator): Promise<void> {
  await change(deps, keyId, async ({ revoked, clientId }, within) => {
    if (revoked) return;
    await store.updateKeyRevoked(within.db, keyId);
    await archiveSetting(within, by, { what: 'key revoked', of: { keyId, clientId }, values: {} });
  });
}

async function change(deps: Deps, keyId: number, work: (key: KeyRow, within: Deps) => Promise<void>): Promise<void> {
  await deps.db.transaction(async (db) => {
    const key = await store.findKeyForUpdate(db, keyId);
    if (!key) throw problem('not_found', `There is no key ${keyId}.`);
    await work(key, { ...deps, db });
  });
}

function checkPlan({ ratePerSecond, burst, dailyQuota }: UsagePlan): void {
  const whole = (value: number | null) =>
    value === null || (Number.isSafeInteger(value) && value >= 1 && value < 2 ** 31);
  if (![ratePerSecond, burst, dailyQuota].every(whole))
    throw problem('invalid_request', 'Rate, burst and daily quota are whole numbers of at least 1.');
  if ((ratePerSecond === null) !== (burst === null))
    throw problem('invalid_request', 'A plan has both a rate and a burst, or neither.');
}
