import { isIPv6 } from 'node:net';
import type { Deps } from '../../deps.ts';
import type { BucketRow } from '../../store/sign-in/throttles.ts';
import * as store from '../../store/sign-in/throttles.ts';
import { hashSecret } from '../shared/secrets.ts';

/** A bucket of `burst` attempts that refills at `perSecond`. The name says whose attempts, and at what. */
export type Bucket = { name: string; burst: number; perSecond: number };

/** Every bucket is full again by then, and a full bucket can be forgotten: the slowest takes 1,000 seconds. */
export const fullAfterMs = 60 * 60 * 1000;

/** Password guesses: from one address at any account, from one site at one account, and from anywhere at one account. */
export function signInThrottles(account: string, address: string): Bucket[] {
  return [
    ...addressThrottles('sign-in', address, { burst: 100, perSecond: 1 }),
    { name: `sign-in account ${account} from ${siteOf(address)}`, burst: 10, perSecond: 0.1 },
    { name: `sign-in account ${account}`, burst: 50, perSecond: 0.1 },
  ];
}

/** Password guesses at one account in a browser where its owner has signed in before. */
export function deviceThrottles(account: string, device: string): Bucket[] {
  return [{ name: `sign-in account ${account} on ${device}`, burst: 10, perSecond: 0.01 }];
}

/** Separate from the password buckets, so that a passkey still works after password guesses from the same address. */
export function passkeyThrottles(address: string): Bucket[] {
  return addressThrottles('passkey', address, { burst: 100, perSecond: 1 });
}

/** The sign-in page asks for a challenge every time it opens. */
export function challengeThrottles(address: string): Bucket[] {
  return addressThrottles('passkey challenge', address, { burst: 300, perSecond: 5 });
}

/** Codes of invitations: they can't be guessed, but each try is a look into the database. */
export function invitationThrottles(address: string): Bucket[] {
  return addressThrottles('invitation', address, { burst: 100, perSecond: 1 });
}

/** Authorization requests: each is stored until it is decided or expires. */
export function authorizeThrottles(address: string): Bucket[] {
  return addressThrottles('authorize', address, { burst: 1_000, perSecond: 10 });
}

/** Wrong credentials at the token endpoint: for any application, and for this one if it exists. */
export function clientThrottles(clientId: string | undefined, address: string): Bucket[] {
  const ofClient = { name: `client ${clientId} from ${networkOf(address)}`, burst: 100, perSecond: 5 };
  return [...addressThrottles('client', address, { burst: 300, perSecond: 5 }), ...(clientId ? [ofClient] : [])];
}

/** One grant's refreshes: an application needs one every 15 minutes. */
export function refreshThrottles(grantId: string): Bucket[] {
  return [{ name: `refresh of ${grantId}`, burst: 200, perSecond: 0.2 }];
}

/**
 * Takes an attempt from every bucket, or from none if one is empty; then it returns how many seconds to wait.
 * The address's buckets come first. If one is empty the others aren't created, so that guessing at made-up accounts can't
 * fill the database with buckets. All attempts lock them in this order, to avoid deadlocks.
 * An attempt is taken before the password is checked and returned if the password was right, so concurrent guesses, on
 * any node, can't exceed what the bucket held.
 */
export async function takeAttempt(deps: Deps, buckets: Bucket[]): Promise<number | null> {
  const rows = buckets.map(rowOf);
  return deps.db.transaction(async (db) => {
    for (const row of rows) {
      const left = await store.fillBucket(db, row, deps.databaseClock.now());
      if (left < 1) return Math.max(1, Math.ceil((1 - left) / row.perSecond));
    }
    await store.takeFromBuckets(db, rows);
    return null;
  });
}

export async function returnAttempt(deps: Deps, buckets: Bucket[]): Promise<void> {
  // One by one: locking several in a different order than takeAttempt would risk a deadlock.
  for (const bucket of buckets) await store.returnToBucket(deps.db, rowOf(bucket));
}

function rowOf({ name, burst, perSecond }: Bucket): BucketRow {
  return { bucketHash: hashSecret(name), burst, perSecond };
}

/** One address's buckets, the widest first: an IPv6 site has ten times what one of its networks has. */
function addressThrottles(what: string, address: string, { burst, perSecond }: Omit<Bucket, 'name'>): Bucket[] {
  const [site, network] = [siteOf(address), networkOf(address)];
  const ofNetwork = { name: `${what} from ${network}`, burst, perSecond };
  if (site === network) return [ofNetwork];
  return [{ name: `${what} from ${site}`, burst: burst * 10, perSecond: perSecond * 10 }, ofNetwork];
}

/** For IPv6, the first 64 bits: a home connection has 2^64 addresses, enough for a new one with every guess. */
export function networkOf(address: string): string {
  return prefixOf(address, 64);
}

/** For IPv6, the first 48 bits: the most that one customer usually gets, which is 65,536 networks. */
function siteOf(address: string): string {
  return prefixOf(address, 48);
}

/** An IPv4 address stays whole. */
function prefixOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, bits / 16).join(':');
}
