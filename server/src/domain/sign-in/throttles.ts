import { isIPv6 } from 'node:net';
import type { Deps } from '../../deps.ts';
import type { BucketRow } from '../../store/sign-in/throttles.ts';
import * as store from '../../store/sign-in/throttles.ts';
import { inBatches } from '../shared/in-batches.ts';
import { hashSecret } from '../shared/secrets.ts';

/** A bucket of `burst` attempts that refills at `perSecond`. The name says whose attempts, and at what. */
export type Bucket = { name: string; burst: number; perSecond: number };

/** Every bucket is full again by then, and a full bucket can be forgotten: the slowest takes 1,000 seconds. */
const fullAfterMs = 60 * 60 * 1000;

/** Password guesses: from one address at any account, from one address at one account, and from anywhere at one account. */
export function signInThrottles(foldedEmail: string, address: string): Bucket[] {
  const from = network(address);
  return [
    { name: `sign-in from ${from}`, burst: 100, perSecond: 1 },
    { name: `sign-in account ${foldedEmail} from ${from}`, burst: 10, perSecond: 0.1 },
    { name: `sign-in account ${foldedEmail}`, burst: 50, perSecond: 0.1 },
  ];
}

/** Separate from the password buckets, so that a passkey still works after password guesses from the same address. */
export function passkeyThrottles(address: string): Bucket[] {
  return [{ name: `passkey from ${network(address)}`, burst: 100, perSecond: 1 }];
}

/** The sign-in page asks for a challenge every time it opens. */
export function challengeThrottles(address: string): Bucket[] {
  return [{ name: `passkey challenge from ${network(address)}`, burst: 300, perSecond: 5 }];
}

/** Authorization requests: each is stored until it is decided or expires. */
export function authorizeThrottles(address: string): Bucket[] {
  return [{ name: `authorize from ${network(address)}`, burst: 1_000, perSecond: 10 }];
}

/** Wrong credentials at the token endpoint: for any application, and for this one if it exists. */
export function clientThrottles(clientId: string | undefined, address: string): Bucket[] {
  const from = network(address);
  const ofClient = { name: `client ${clientId} from ${from}`, burst: 100, perSecond: 5 };
  return [{ name: `client from ${from}`, burst: 300, perSecond: 5 }, ...(clientId ? [ofClient] : [])];
}

/** One grant's refreshes: an application needs one every 15 minutes. */
export function refreshThrottles(grantId: string): Bucket[] {
  return [{ name: `refresh of ${grantId}`, burst: 200, perSecond: 0.2 }];
}

/**
 * Takes an attempt from every bucket, or from none if one is empty; then it returns how many seconds to wait.
 * The first bucket is the address's. If it is empty the others aren't created, so that guessing at made-up accounts can't
 * fill the database with buckets.
 * An attempt is taken before the password is checked and returned if the password was right, so concurrent guesses, on
 * any node, can't exceed what the bucket held.
 */
export async function takeAttempt(deps: Deps, buckets: Bucket[]): Promise<number | null> {
  const rows = buckets.map(rowOf);
  return deps.db.transaction(async (db) => {
    const retryAfterSeconds = (await longestWait(db, rows.slice(0, 1))) || (await longestWait(db, rows.slice(1)));
    if (retryAfterSeconds > 0) return retryAfterSeconds;
    await store.takeFromBuckets(db, rows);
    return null;
  });
}

async function longestWait(db: Deps['db'], rows: BucketRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const held = await store.fillBuckets(db, rows, new Date());
  const waits = rows.map(({ bucketHash, perSecond }) => {
    const left = held.find((each) => each.bucketHash.equals(bucketHash))?.attemptsLeft ?? 0;
    return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond));
  });
  return Math.max(0, ...waits);
}

export async function returnAttempt(deps: Deps, buckets: Bucket[]): Promise<void> {
  // One by one: locking several in a different order than takeAttempt would risk a deadlock.
  for (const bucket of buckets) await store.returnToBucket(deps.db, rowOf(bucket));
}

export async function forgetFullBuckets(deps: Deps): Promise<void> {
  const before = new Date(Date.now() - fullAfterMs);
  await inBatches((limit) => store.deleteBucketsFilledBefore(deps.db, before, limit));
}

function rowOf({ name, burst, perSecond }: Bucket): BucketRow {
  return { bucketHash: hashSecret(name), burst, perSecond };
}

/** For IPv6, the first 64 bits: a home connection has 2^64 addresses, enough for a new one with every guess. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
