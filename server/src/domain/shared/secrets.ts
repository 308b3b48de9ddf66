import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Ids, secrets and keys that we issue: `ak_sandbox_` and random letters and digits, the last six a checksum. The prefix
 * says what it is and for which environment, to secret scanners too; the checksum tells a typo from a revoked key without
 * asking the database. Only the SHA-256 is stored: 190 random bits need no slow hash.
 */
const prefixes = { apiKey: 'ak', clientId: 'app', clientSecret: 'cs' } as const;
const randomLength = 37;
const checksumLength = 6;
const form = /^([a-z]+)_([a-z]+)_([0-9a-z]{43})$/;

type SecretKind = keyof typeof prefixes;
const environments = ['sandbox', 'production'] as const;
export type Environment = (typeof environments)[number];

export function makeSecret(kind: SecretKind, environment: Environment): string {
  const random = base36(randomBytes(24), randomLength);
  const start = `${prefixes[kind]}_${environment}_${random}`;
  return start + checksum(start);
}

/** Whether it can be one of ours. `malformed` includes typos, which the checksum reveals. */
export function readSecret(
  kind: SecretKind,
  environment: Environment,
  given: string,
): 'possible' | 'malformed' | 'other_environment' {
  const [, prefix, from] = form.exec(given) ?? [];
  if (prefix !== prefixes[kind] || !environments.some((each) => each === from)) return 'malformed';
  if (from !== environment) return 'other_environment';
  return checksum(given.slice(0, -checksumLength)) === given.slice(-checksumLength) ? 'possible' : 'malformed';
}

/** The token of a session cookie or of a one-time link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What requests are signed with, as Standard Webhooks writes it. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function matchesHash(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

function checksum(text: string): string {
  return base36(createHash('sha256').update(text).digest().subarray(0, 4), checksumLength).slice(-checksumLength);
}

function base36(bytes: Buffer, length: number): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0')
    .slice(-length);
}
