import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair } from 'jose';
import { type Deps, inTransaction } from '../../deps.ts';
import type { Jwk, SigningKeyRow } from '../../store/access/signing-keys.ts';
import * as store from '../../store/access/signing-keys.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { realTimeIn } from '../shared/time.ts';

/** Its private part is null if this node has no key to open it: it verifies tokens then, and other nodes sign with it. */
export type SigningKey = Omit<SigningKeyRow, 'jwk' | 'sealedPrivatePart'> & { publicJwk: Jwk; privateJwk: Jwk | null };

export const algorithm = 'ES256';
/** None of our tokens lasts longer, so a key that hasn't signed for that long has no tokens left to verify. */
export const tokenLifetimeSeconds = 15 * 60;
const readMs = 1_000;
/** Every process reads the keys once a second, so by then all of them, and all JWKS clients, know a new key. */
const publishedBeforeMs = 10_000;
/** Allows for clock skew, and for a token that was being signed at the last moment. */
const retiredAfterMs = (tokenLifetimeSeconds + 60) * 1000;

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
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await (known.length > 0 ? Promise.race([reading, pause(readMs, undefined, { ref: false })]) : reading);
    }
    return signingFirst(known, Date.now());
  };
}

/** When a node starts: makes the first key if there is none, and seals those from before there was a key to seal them with. */
export async function prepareSigningKeys(deps: Deps): Promise<void> {
  await keysOf(deps);
}

/** Makes a new key, published at once and signing a little later; the old one verifies until its tokens expire. */
export async function rotateSigningKeys(deps: Deps, by: By = byOperator): Promise<SigningKey> {
  await keysOf(deps);
  const key = await makeKey(new Date(Date.now() + publishedBeforeMs));
  await inTransaction(deps, async (deps) => {
    await store.insertSigningKey(deps.db, sealed(deps, key));
    await archiveSetting(deps, by, { what: 'signing key rotated', of: { kid: key.kid }, values: {} });
  });
  return key;
}

/** Makes a new key that signs at once, and forgets the others: tokens they signed are refused within a second. */
export async function replaceSigningKeys(deps: Deps, by: By = byOperator): Promise<SigningKey> {
  const key = await makeKey(new Date());
  await inTransaction(deps, async (deps) => {
    await store.deleteSigningKeys(deps.db);
    await store.insertSigningKey(deps.db, sealed(deps, key));
    await archiveSetting(deps, by, { what: 'signing keys replaced', of: { kid: key.kid }, values: {} });
  });
  return key;
}

/** Seals every key again with the first sealing key; returns how many. */
export async function resealSigningKeys(deps: Deps): Promise<number> {
  return inTransaction(deps, async (deps) => {
    await store.lockSigningKeys(deps.db);
    const keys = (await listKeys(deps)).filter(canSign);
    for (const key of keys) await store.replaceSigningKey(deps.db, sealed(deps, key));
    return keys.length;
  });
}

type SigningKeyUse = 'waits' | 'signs' | 'verifies';

export async function listSigningKeys(deps: Deps): Promise<(SigningKey & { use: SigningKeyUse })[]> {
  const now = Date.now();
  const [signing, ...others] = signingFirst(await keysOf(deps), now);
  if (!signing) return [];
  const use = (key: SigningKey): SigningKeyUse => (key.dateTimeSigns.getTime() > now ? 'waits' : 'verifies');
  return [{ ...signing, use: 'signs' }, ...others.map((key) => ({ ...key, use: use(key) }))];
}

/** Forgets keys whose successor has signed for long enough. Keys that only other nodes can open are theirs to forget. */
export async function forgetRetiredSigningKeys(deps: Deps): Promise<void> {
  const retiredBefore = realTimeIn(deps, -retiredAfterMs);
  const keys = (await listKeys(deps)).filter(canSign);
  const successor = keys.find(({ dateTimeSigns }) => dateTimeSigns < retiredBefore);
  const retired = successor ? keys.filter(({ dateTimeSigns }) => dateTimeSigns < successor.dateTimeSigns) : [];
  for (const { kid } of retired) await store.deleteSigningKey(deps.db, kid);
}

/** The database's keys. If there is none that this node can sign with, it makes one; one that isn't sealed is sealed. */
async function keysOf(deps: Deps): Promise<SigningKey[]> {
  const rows = await store.listSigningKeys(deps.db);
  const isPlain = deps.sealer.canSeal && rows.some(({ sealedPrivatePart }) => sealedPrivatePart === null);
  const keys = rows.map((row) => opened(deps, row));
  if (keys.some(canSign) && !isPlain) return keys;
  const made = await makeKey(new Date());
  return inTransaction(deps, async (deps) => {
    // Of several nodes that start at once, one makes the key and all use it.
    await store.lockSigningKeys(deps.db);
    const locked = await store.listSigningKeys(deps.db);
    if (!locked.some((row) => canSign(opened(deps, row)))) await store.insertSigningKey(deps.db, sealed(deps, made));
    for (const row of locked.filter(({ sealedPrivatePart }) => sealedPrivatePart === null))
      await store.replaceSigningKey(deps.db, sealed(deps, opened(deps, row)));
    return listKeys(deps);
  });
}

async function listKeys(deps: Deps): Promise<SigningKey[]> {
  return (await store.listSigningKeys(deps.db)).map((row) => opened(deps, row));
}

async function makeKey(dateTimeSigns: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const privateJwk = (await exportJWK(privateKey)) as Jwk;
  const { d: _private, ...publicJwk } = privateJwk;
  return { kid: randomUUID(), publicJwk, privateJwk, dateTimeCreated: new Date(), dateTimeSigns };
}

/** As it is stored. Without a sealing key, which only production can lack, the private part is stored as it is. */
function sealed({ sealer }: Pick<Deps, 'sealer'>, { publicJwk, privateJwk, ...key }: SigningKey): SigningKeyRow {
  const secret = privateJwk?.d;
  if (!privateJwk || !secret) throw new Error('This node doesn’t have the private part of the key.');
  if (!sealer.canSeal) return { ...key, jwk: privateJwk, sealedPrivatePart: null };
  return { ...key, jwk: publicJwk, sealedPrivatePart: sealer.seal(secret, ownerOf(key)) };
}

function opened({ sealer }: Pick<Deps, 'sealer'>, { jwk, sealedPrivatePart, ...key }: SigningKeyRow): SigningKey {
  const { d, ...publicJwk } = jwk;
  if (!sealedPrivatePart) return { ...key, publicJwk, privateJwk: d ? jwk : null };
  if (!sealer.canOpen(sealedPrivatePart)) return { ...key, publicJwk, privateJwk: null };
  return { ...key, publicJwk, privateJwk: { ...publicJwk, d: sealer.open(sealedPrivatePart, ownerOf(key)) } };
}

/** Sealed for this key: it can't be put in the place of another one. */
function ownerOf({ kid }: Pick<SigningKeyRow, 'kid'>): string {
  return `signing_keys/${kid}`;
}

function canSign({ privateJwk }: SigningKey): boolean {
  return privateJwk !== null;
}

/** The newest key whose time has come signs. Keys come newest first; a clock that is behind must still find one. */
function signingFirst(keys: SigningKey[], nowMs: number): SigningKey[] {
  const own = keys.filter(canSign);
  const signing = own.find((key) => key.dateTimeSigns.getTime() <= nowMs) ?? own.at(-1);
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}
