import type { Deps } from '../../deps.ts';
import { findDailyUse, type UsagePlan, useDailyQuota } from '../../store/access/api-keys.ts';
import type { BucketUse, SharedBuckets, TakenTokens } from '../ports.ts';
import { BoundedMap } from '../shared/bounded-map.ts';

type PlannedKey = UsagePlan & { keyId: number };
/** What is left of one of a plan's limits: `quota` per window, `remaining` now, full again after `resetSeconds`. */
type Allowance = {
  name: 'burst' | 'day';
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};
export type Use = { allowances: Allowance[]; retryAfterSeconds: number | null };
export type UsagePlans = ReturnType<typeof usagePlans>;
type Bucket = { tokens: number; filledAtMs: number };

const daySeconds = 86_400;

/**
 * Takes one request from a key's usage plan: a bucket of `burst` that refills at `rate` per second, in memory or shared with
 * other processes, and the daily quota, in the database. The usual libraries count in fixed windows, which let twice the
 * burst through at a window's edge and make a client wait for the next one; a bucket is exact and just as short.
 */
export function usagePlans(deps: Deps, shared?: SharedBuckets | null) {
  // A forgotten bucket starts full again: only the ten thousand most recently used keys keep theirs.
  const buckets = new BoundedMap<number, Bucket>();

  function takeFromOwn({ keyId, ratePerSecond, burst, wanted }: BucketUse): TakenTokens {
    const nowMs = performance.now();
    const { tokens, filledAtMs } = buckets.get(keyId) ?? { tokens: burst, filledAtMs: nowMs };
    const filled = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * ratePerSecond);
    const taken = filled >= wanted;
    const left = taken ? filled - wanted : filled;
    buckets.set(keyId, { tokens: left, filledAtMs: nowMs });
    return { taken, tokens: left };
  }

  async function use(key: PlannedKey, wanted: 0 | 1): Promise<Use> {
    const { keyId, ratePerSecond, burst, dailyQuota } = key;
    const allowances: Allowance[] = [];
    if (ratePerSecond && burst) {
      const bucketUse = { keyId, ratePerSecond, burst, wanted };
      const { tokens, taken } = (await shared?.take(bucketUse)) ?? takeFromOwn(bucketUse);
      allowances.push({
        name: 'burst',
        quota: burst,
        windowSeconds: Math.ceil(burst / ratePerSecond),
        remaining: Math.floor(tokens),
        resetSeconds: Math.ceil((burst - tokens) / ratePerSecond),
      });
      if (!taken) return { allowances, retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / ratePerSecond)) };
    }
    if (!dailyQuota) return { allowances, retryAfterSeconds: null };

    const now = deps.databaseClock.now();
    const day = now.toISOString().slice(0, 10);
    const used = await (wanted ? useDailyQuota(deps.db, keyId, day, dailyQuota) : findDailyUse(deps.db, keyId, day));
    const resetSeconds = daySeconds - Math.floor((now.getTime() / 1000) % daySeconds);
    const remaining = dailyQuota - (used ?? dailyQuota);
    allowances.push({ name: 'day', quota: dailyQuota, windowSeconds: daySeconds, remaining, resetSeconds });
    return { allowances, retryAfterSeconds: used === null ? resetSeconds : null };
  }

  return { take: (key: PlannedKey) => use(key, 1), look: (key: PlannedKey) => use(key, 0) };
}
