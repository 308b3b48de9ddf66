import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair } from 'jose';
import type { Deps } from '../../deps.ts';
import type { SigningKeyRow } from '../../store/access/signing-keys.ts';
import * as store from '../../store/access/signing-keys.ts';

export type SigningKey = SigningKeyRow;

export const algorithm = 'ES256';
/** No token of ours lasts longer, so a key that has not signed for that long has no more tokens to verify. */
export const tokenLifetimeSeconds = 15 * 60;
const readMs = 1_000;
/** Each process reads the keys once a second: after this time all of them, and whoever asked for the JWKS, know a new one. */
const publishedBeforeMs = 10_000;
/** For clocks that differ, and for a token that was being signed at the last moment. */
const retiredAfterMs = (tokenLifetimeSeconds + 60) * 1000;

/** The published keys, the one that signs now first. */
export type KeyRing = () => Promise<SigningKey[]>;

/** Read at most once a second; while the database is away, or takes longer than that, as last known. */
export function keyRing(deps: Deps): KeyRing {
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
      // Those who come meanwhile wait for the same reading.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await (known.length > 0 ? Promise.race([reading, pause(readMs, undefined, { ref: false })]) : reading);
    }
    return signingFirst(known, Date.now());
  };
}

/** Makes a new key, which is published at once and signs a little later; the old one verifies until its tokens are gone. */
export async function rotateSigningKeys(deps: Deps): Promise<SigningKey> {
  await keysOf(deps);
  const key = await makeKey(new Date(Date.now() + publishedBeforeMs));
  await store.insertSigningKey(deps.db, key);
  return key;
}

/** Makes a new key that signs at once, and forgets the others: every token that they signed ends within a second. */
export async function replaceSigningKeys(deps: Deps): Promise<SigningKey> {
  const key = await makeKey(new Date());
  await deps.db.transaction(async (db) => {
    await store.deleteSigningKeys(db);
    await store.insertSigningKey(db, key);
  });
  return key;
}

export type KeyUse = 'waits' | 'signs' | 'verifies';

export async function listSigningKeys(deps: Deps): Promise<(SigningKey & { use: KeyUse })[]> {
  const now = Date.now();
  const [signing, ...others] = signingFirst(await keysOf(deps), now);
  if (!signing) return [];
  const use = (key: SigningKey): KeyUse => (key.dateTimeSigns.getTime() > now ? 'waits' : 'verifies');
  return [{ ...signing, use: 'signs' }, ...others.map((key) => ({ ...key, use: use(key) }))];
}

export async function forgetRetiredKeys(deps: Deps): Promise<void> {
  await store.deleteSigningKeysSucceededBefore(deps.db, new Date(Date.now() - retiredAfterMs));
}

/** The keys of the database; its first use makes one. */
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

/** Of those whose time has come, the newest signs. Keys come newest first; a clock that is behind must still find one. */
function signingFirst(keys: SigningKey[], nowMs: number): SigningKey[] {
  const signing = keys.find((key) => key.dateTimeSigns.getTime() <= nowMs) ?? keys.at(-1);
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}
