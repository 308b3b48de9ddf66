import { createHmac } from 'node:crypto';

/** What an authenticator app shows: RFC 6238, written again, so that our own isn't its own judge. `later` is in steps of 30 seconds. */
export function totpOf(secret: string, later = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let bits = 0n;
  for (const letter of secret) bits = bits * 32n + BigInt(alphabet.indexOf(letter));
  const key = Buffer.from(bits.toString(16).padStart((secret.length * 5) / 4, '0'), 'hex');
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(Date.now() / 30_000) + later, 4);
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = (mac[19] ?? 0) % 16;
  return String((mac.readInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
