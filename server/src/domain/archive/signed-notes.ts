import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { keyIdOf, readVerifier } from '../examiner/notes.mjs';
import type { NoteSigner } from '../ports.ts';

const publicKeyBytes = 32;

export function makeSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** `pem` is an Ed25519 private key in PKCS #8; anything else throws. */
export function makeNoteSigner(name: string, pem: string): NoteSigner {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 private key.');
  const publicKey = publicKeyLine(name, privateKey);
  const verifier = readVerifier(publicKey);
  if (!verifier) throw new Error(`"${name}" can’t be a key’s name: it must have no spaces and no plus sign.`);
  return {
    verifier,
    publicKey,
    sign(text) {
      const signature = Buffer.concat([verifier.id, sign(null, Buffer.from(text), privateKey)]);
      return `${text}\n— ${name} ${signature.toString('base64')}\n`;
    },
  };
}

/** The key itself is the last 32 bytes of the DER. */
function publicKeyLine(name: string, privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const key = der.subarray(-publicKeyBytes);
  return `${name}+${keyIdOf(name, key).toString('hex')}+${Buffer.concat([Buffer.from([1]), key]).toString('base64')}`;
}
