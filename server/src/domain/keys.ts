import type { Deps } from '../deps.ts';
import type { KeyRow, UsagePlan } from '../store/keys.ts';
import * as store from '../store/keys.ts';
import { getApplication } from './applications.ts';
import { problem } from './problems.ts';
import { hashSecret, makeSecret } from './secrets.ts';

export type { UsagePlan } from '../store/keys.ts';

export const defaultPlan: UsagePlan = { ratePerSecond: 50, burst: 100, dailyQuota: null };
export const unlimited: UsagePlan = { ratePerSecond: null, burst: null, dailyQuota: null };

/** A new key of the application; the key itself is shown this once. */
export async function issueKey(
  deps: Deps,
  clientId: string,
  plan: UsagePlan = defaultPlan,
): Promise<{ keyId: number; apiKey: string }> {
  checkPlan(plan);
  const { applicationId } = await getApplication(deps, clientId);
  const apiKey = makeSecret('apiKey', deps.config.environment);
  const key = { applicationId, keyHash: hashSecret(apiKey), hint: `${apiKey.slice(0, -38)}…`, plan };
  return { keyId: await store.insertKey(deps.db, key, deps.clock.now()), apiKey };
}

export async function listKeys(deps: Deps): Promise<KeyRow[]> {
  return store.listKeys(deps.db);
}

export async function setPlan(deps: Deps, keyId: number, plan: UsagePlan): Promise<void> {
  checkPlan(plan);
  if (!(await store.updateKeyPlan(deps.db, keyId, plan))) throw problem('not_found', `There is no key ${keyId}.`);
}

/** From the next second on, every node refuses it. */
export async function revokeKey(deps: Deps, keyId: number): Promise<void> {
  if (!(await store.updateKeyRevoked(deps.db, keyId))) throw problem('not_found', `There is no key ${keyId}.`);
}

function checkPlan({ ratePerSecond, burst, dailyQuota }: UsagePlan): void {
  const whole = (value: number | null) =>
    value === null || (Number.isSafeInteger(value) && value >= 1 && value < 2 ** 31);
  if (![ratePerSecond, burst, dailyQuota].every(whole))
    throw problem('invalid_request', 'Rate, burst and daily quota are whole numbers of at least 1.');
  if ((ratePerSecond === null) !== (burst === null))
    throw problem('invalid_request', 'A plan has both a rate and a burst, or neither.');
}
