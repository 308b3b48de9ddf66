import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
/** NIST SP 800-63B; guesses are throttled. */
export const passwordLengthMin = 8;
/**
 * OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. glibc would keep up to twice that memory for
 * each of Node's four threads, 140 MB in all, unless MALLOC_MMAP_THRESHOLD_ is set, as `npm start` does.
 */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function isTooShort(password: string): boolean {
  return [...password].length < passwordLengthMin;
}

/** The hash as a PHC string, which carries its own salt and cost. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive('argon2id', { message: password.normalize('NFKC'), nonce: salt, ...cost, tagLength });
  return phcString(salt, tag);
}

/** Whether the password matches the hash. Without a hash it does the same work, so that timing reveals nothing. */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const { tag, ...parameters } = readPhc(phc ?? unmatchable);
  const derived = await derive('argon2id', { message: password.normalize('NFKC'), ...parameters });
  return timingSafeEqual(derived, tag) && phc !== null;
}

function readPhc(phc: string) {
  const [, memory, passes, parallelism, salt, tag] = phcForm.exec(phc) ?? [];
  if (!salt || !tag) throw new Error('A stored password hash is not an argon2id PHC string.');
  const bytes = Buffer.from(tag, 'base64');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tag: bytes,
    tagLength: bytes.length,
  };
}

function phcString(salt: Buffer, tag: Buffer): string {
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

const unmatchable = phcString(randomBytes(16), randomBytes(tagLength));
