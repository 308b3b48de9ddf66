import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair } from 'jose';
import type { Deps } from '../../deps.ts';
import type { SigningKeyRow } from '../../store/access/signing-keys.ts';
import * as store from '../../store/access/signing-keys.ts';

export type SigningKey = SigningKeyRow;

export const algorithm = 'ES256';
/** None of our tokens lasts longer, so a key that hasn't signed for that long has no tokens left to verify. */
export const tokenLifetimeSeconds = 15 * 60;
const readMs = 1_000;
/** Every process reads the keys once a second, so by then all of them, and all JWKS clients, know a new key. */
const publishedBeforeMs = 10_000;
/** Allows for clock skew, and for a token that was being signed at the last moment. */
const retiredAfterMs = (tokenLifetimeSeconds + 60) * 1000;

/** The published keys, the one that signs now first. */
export type SigningKeyRing = () => Promise<SigningKey[]>;

/** Read at most once a second; the last known keys while the database is unavailable or slower than that. */
export function signingKeyRing(deps: Deps): SigningKeyRing {
  let known: SigningKey[] = [];
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    try {
      known = await keysOf(deps);
    } catch (error) {
      if (known.length === 0) throw error;
    }
    readAtMs = performance.now();
  }

  return async () => {
    if (performance.now() - readAtMs > readMs) {
      // Concurrent callers wait for the same read.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await (known.length > 0 ? Promise.race([reading, pause(readMs, undefined, { ref: false })]) : reading);
    }
    return signingFirst(known, Date.now());
  };
}

/** Makes a new key, published at once and signing a little later; the old one verifies until its tokens expire. */
export async function rotateSigningKeys(deps: Deps): Promise<SigningKey> {
  await keysOf(deps);
  const key = await makeKey(new Date(Date.now() + publishedBeforeMs));
  await store.insertSigningKey(deps.db, key);
  return key;
}

/** Makes a new key that signs at once, and forgets the others: tokens they signed are refused within a second. */
export async function replaceSigningKeys(deps: Deps): Promise<SigningKey> {
  const key = await makeKey(new Date());
  await deps.db.transaction(async (db) => {
    await store.deleteSigningKeys(db);
    await store.insertSigningKey(db, key);
  });
  return key;
}

export type SigningKeyUse = 'waits' | 'signs' | 'verifies';

export async function listSigningKeys(deps: Deps): Promise<(SigningKey & { use: SigningKeyUse })[]> {
  const now = Date.now();
  const [signing, ...others] = signingFirst(await keysOf(deps), now);
  if (!signing) return [];
  const use = (key: SigningKey): SigningKeyUse => (key.dateTimeSigns.getTime() > now ? 'waits' : 'verifies');
  return [{ ...signing, use: 'signs' }, ...others.map((key) => ({ ...key, use: use(key) }))];
}

export async function forgetRetiredSigningKeys(deps: Deps): Promise<void> {
  await store.deleteSigningKeysSucceededBefore(deps.db, new Date(Date.now() - retiredAfterMs));
}

/** The database's keys; the first use makes one. */
async function keysOf(deps: Deps): Promise<SigningKey[]> {
  const keys = await store.listSigningKeys(deps.db);
  if (keys.length > 0) return keys;
  await store.insertFirstSigningKey(deps.db, await makeKey(new Date()));
  return store.listSigningKeys(deps.db);
}

async function makeKey(dateTimeSigns: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const privateJwk = (await exportJWK(privateKey)) as Record<string, string>;
  return { kid: randomUUID(), privateJwk, dateTimeCreated: new Date(), dateTimeSigns };
}

/** The newest key whose time has come signs. Keys come newest first; a clock that is behind must still find one. */
function signingFirst(keys: SigningKey[], nowMs: number): SigningKey[] {
  const signing = keys.find((key) => key.dateTimeSigns.getTime() <= nowMs) ?? keys.at(-1);
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}
