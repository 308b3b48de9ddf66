import { type Deps, inTransaction } from '../../deps.ts';
import type { ApiKeyRow, UsagePlan } from '../../store/access/api-keys.ts';
import * as store from '../../store/access/api-keys.ts';
import { archiveSetting, changesOf } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem, requireFound } from '../problems.ts';
import { hashSecret, makeSecret } from '../shared/secrets.ts';
import { getApplication } from './applications.ts';

export type { UsagePlan } from '../../store/access/api-keys.ts';

export const defaultPlan: UsagePlan = { ratePerSecond: 50, burst: 100, dailyQuota: null };
export const unlimited: UsagePlan = { ratePerSecond: null, burst: null, dailyQuota: null };

/** A new key for the application. The key itself is shown only once. `known` is a key that it had before. */
export async function issueApiKey(
  deps: Deps,
  clientId: string,
  plan: UsagePlan = defaultPlan,
  by: By = byOperator,
  known?: string,
): Promise<{ keyId: number; apiKey: string }> {
  checkPlan(plan);
  const { applicationId } = await getApplication(deps, clientId);
  const apiKey = known ?? makeSecret('apiKey', deps.config.environment);
  const key = { applicationId, keyHash: hashSecret(apiKey), hint: `${apiKey.slice(0, -38)}…`, plan };
  return inTransaction(deps, async (deps) => {
    const keyId = await store.insertApiKey(deps.db, key, deps.clock.now());
    await archiveSetting(deps, by, { what: 'key issued', of: { keyId, clientId }, values: plan });
    return { keyId, apiKey };
  });
}

export async function listApiKeys(deps: Deps): Promise<ApiKeyRow[]> {
  return store.listApiKeys(deps.db);
}

export async function setApiKeyPlan(deps: Deps, keyId: number, plan: UsagePlan, by: By = byOperator): Promise<void> {
  checkPlan(plan);
  await changeApiKey(deps, keyId, async (deps, { ratePerSecond, burst, dailyQuota }) => {
    await store.updateApiKeyPlan(deps.db, keyId, plan);
    const values = changesOf({ ratePerSecond, burst, dailyQuota }, plan);
    if (values) await archiveSetting(deps, by, { what: 'key plan set', of: { keyId }, values });
  });
}

/** Within a second, every node refuses the key. */
export async function revokeApiKey(deps: Deps, keyId: number, by: By = byOperator): Promise<void> {
  await changeApiKey(deps, keyId, async (deps, { revoked, clientId }) => {
    if (revoked) return;
    await store.updateApiKeyRevoked(deps.db, keyId);
    await archiveSetting(deps, by, { what: 'key revoked', of: { keyId, clientId }, values: {} });
  });
}

async function changeApiKey(
  deps: Deps,
  keyId: number,
  work: (deps: Deps, key: ApiKeyRow) => Promise<void>,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const key = requireFound(await store.findApiKeyForUpdate(deps.db, keyId), `There is no key ${keyId}.`);
    await work(deps, key);
  });
}

function checkPlan({ ratePerSecond, burst, dailyQuota }: UsagePlan): void {
  const whole = (value: number | null) =>
    value === null || (Number.isSafeInteger(value) && value >= 1 && value < 2 ** 31);
  if (![ratePerSecond, burst, dailyQuota].every(whole))
    throw problem('invalid_request', 'Rate, burst and daily quota must be whole numbers of at least 1.');
  if ((ratePerSecond === null) !== (burst === null))
    throw problem('invalid_request', 'A plan needs both a rate and a burst, or neither.');
}
