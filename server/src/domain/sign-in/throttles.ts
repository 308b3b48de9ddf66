import { isIPv6 } from 'node:net';
import type { Deps } from '../../deps.ts';
import type { BucketRow } from '../../store/sign-in/throttles.ts';
import * as store from '../../store/sign-in/throttles.ts';
import { inBatches } from '../shared/batches.ts';
import { hashSecret } from '../shared/secrets.ts';

/** Attempts that someone has: `burst` of them, coming back at `perSecond`. The name says who and at what. */
export type Bucket = { name: string; burst: number; perSecond: number };

/** Every bucket is full again by then, and one that is full need not be remembered: the slowest takes 500 seconds. */
const fullAfterMs = 60 * 60 * 1000;

/** Guesses at one account's password: from one address, from everywhere, and by one address at any account. */
export function signInThrottles(foldedEmail: string, address: string): Bucket[] {
  const from = network(address);
  return [
    { name: `sign-in from ${from}`, burst: 100, perSecond: 1 },
    { name: `sign-in account ${foldedEmail} from ${from}`, burst: 10, perSecond: 0.1 },
    { name: `sign-in account ${foldedEmail}`, burst: 50, perSecond: 0.1 },
  ];
}

/** Apart from the passwords', so that a passkey still signs in when passwords were guessed from the same address. */
export function passkeyThrottles(address: string): Bucket[] {
  return [{ name: `passkey from ${network(address)}`, burst: 100, perSecond: 1 }];
}

/** The sign-in page asks for a challenge each time it is opened. */
export function challengeThrottles(address: string): Bucket[] {
  return [{ name: `passkey challenge from ${network(address)}`, burst: 300, perSecond: 5 }];
}

/** Authorization requests, each of which is remembered until it is decided or expires. */
export function authorizeThrottles(address: string): Bucket[] {
  return [{ name: `authorize from ${network(address)}`, burst: 1_000, perSecond: 10 }];
}

/** Wrong credentials at the token endpoint: of one application, where there is such a one, and of any. */
export function clientThrottles(clientId: string | undefined, address: string): Bucket[] {
  const from = network(address);
  const ofClient = { name: `client ${clientId} from ${from}`, burst: 100, perSecond: 5 };
  return [{ name: `client from ${from}`, burst: 300, perSecond: 5 }, ...(clientId ? [ofClient] : [])];
}

/** What an application refreshes for one advisor: every quarter of an hour is enough. */
export function refreshThrottles(grantId: string): Bucket[] {
  return [{ name: `refresh of ${grantId}`, burst: 200, perSecond: 0.2 }];
}

/**
 * Takes an attempt from every bucket, or from none where one is empty: then it says after how many seconds to come back.
 * The first is that of an address, if there is one; where it is empty the others aren't even made, so that who guesses
 * at made-up accounts can't fill the database with them.
 * It is taken before the password is looked at and given back when it was right; so guesses made at the same moment,
 * on whatever node, can't be more than the bucket held.
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

export async function giveBackAttempt(deps: Deps, buckets: Bucket[]): Promise<void> {
  // One by one: holding several in another order than who takes would be waiting in a circle.
  for (const bucket of buckets) await store.giveBackToBucket(deps.db, rowOf(bucket));
}

export async function forgetFullBuckets(deps: Deps): Promise<void> {
  const before = new Date(Date.now() - fullAfterMs);
  await inBatches((limit) => store.deleteBucketsFilledBefore(deps.db, before, limit));
}

function rowOf({ name, burst, perSecond }: Bucket): BucketRow {
  return { bucketHash: hashSecret(name), burst, perSecond };
}

/** Of IPv6 the first 64 bits: one line at home has 2^64 addresses, and its owner could use a new one for each guess. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
