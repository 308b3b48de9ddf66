import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { problem } from '../problems.ts';

/** Encrypts secrets that we must be able to read again, such as what an advisor's CRM and we sign with. */
export type Sealer = ReturnType<typeof makeSealer>;

export const sealingKeyBytes = 32;
const algorithm = 'aes-256-gcm';
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** The first key seals, and any of them opens. To replace a key, put the new one in front of it. */
export function makeSealer(keys: readonly Buffer[]) {
  const [current] = keys;
  const keyOf = (sealed: Buffer) => keys.find((each) => keyIdOf(each).equals(sealed.subarray(0, keyIdBytes)));
  return {
    /** False if no key is configured. */
    canSeal: current !== undefined,
    /** Whether this secret was sealed with one of the keys. */
    canOpen: (sealed: Buffer) => keyOf(sealed) !== undefined,
    /** `of` names the secret's owner: a secret sealed for one row can't be opened for another. */
    seal(secret: string, of: string): Buffer {
      if (!current) throw problem('conflict', 'CREDENTIALS_KEY is not set: no secret can be stored.');
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current, nonce).setAAD(Buffer.from(of));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([keyIdOf(current), nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed: Buffer, of: string): string {
      const key = keyOf(sealed);
      if (!key) throw problem('conflict', 'CREDENTIALS_KEY doesn’t have the key that this secret was sealed with.');
      const rest = sealed.subarray(keyIdBytes);
      const decipher = createDecipheriv(algorithm, key, rest.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(of))
        .setAuthTag(rest.subarray(nonceBytes, nonceBytes + tagBytes));
      const opened = [decipher.update(rest.subarray(nonceBytes + tagBytes)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    },
  };
}

/** Identifies the key without revealing anything about it. */
function keyIdOf(key: Buffer): Buffer {
  return createHash('sha256').update('assent sealing key').update(key).digest().subarray(0, keyIdBytes);
}
