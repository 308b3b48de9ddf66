import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { problem } from '../problems.ts';

/** Keeps secrets that we must be able to read again, such as the password of an advisor's CRM. */
export type Sealer = {
  /** `of` says what the secret belongs to: sealed for one row, it can't be opened for another. */
  seal(secret: string, of: string): Buffer;
  open(sealed: Buffer, of: string): string;
};

export const sealingKeyBytes = 32;
const algorithm = 'aes-256-gcm';
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** The first key seals, and each of them opens: so a key is replaced by putting the new one before it. */
export function makeSealer(keys: readonly Buffer[]): Sealer {
  const [current] = keys;
  return {
    seal(secret, of) {
      if (!current) throw problem('conflict', 'CREDENTIALS_KEY is not set: no secret can be kept.');
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current, nonce).setAAD(Buffer.from(of));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([keyIdOf(current), nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed, of) {
      const keyId = sealed.subarray(0, keyIdBytes);
      const key = keys.find((each) => keyIdOf(each).equals(keyId));
      if (!key) throw problem('conflict', 'CREDENTIALS_KEY has no key that this secret was sealed with.');
      const rest = sealed.subarray(keyIdBytes);
      const decipher = createDecipheriv(algorithm, key, rest.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(of))
        .setAuthTag(rest.subarray(nonceBytes, nonceBytes + tagBytes));
      const opened = [decipher.update(rest.subarray(nonceBytes + tagBytes)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    },
  };
}

/** Which key it was, without a word about the key. */
function keyIdOf(key: Buffer): Buffer {
  return createHash('sha256').update('assent sealing key').update(key).digest().subarray(0, keyIdBytes);
}
