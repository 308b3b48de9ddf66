import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Codes of authenticator apps: RFC 6238 with SHA-1, six digits and 30 seconds, which is all that every app can do. Real time
 * decides, never the sandbox's clock: the app has no other.
 */
const stepMs = 30_000;
const digits = 6;
/** RFC 4226 recommends 160 bits, the length of the hash. */
const secretBytes = 20;
/** Clocks differ, and typing takes a moment: one step before and one after. */
const stepsAround = [-1, 0, 1];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, as apps take it. */
export function makeTotpSecret(): string {
  const bits = [...randomBytes(secretBytes)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
}

/** The step whose code this is, if it is later than the last one that was used. */
export function totpStepOf(
  secret: string,
  code: string,
  { now, after }: { now: number; after: number },
): number | null {
  const current = Math.floor(now / stepMs);
  const steps = stepsAround.map((distance) => current + distance).filter((step) => step > after);
  return steps.find((step) => isSame(totpAt(secret, step), code)) ?? null;
}

/** What an app reads to add the account. */
export function totpLink(secret: string, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

function totpAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

function isSame(expected: string, given: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, Buffer.from(expected));
}
