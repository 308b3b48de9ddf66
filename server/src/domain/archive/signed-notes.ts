import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { keyIdOf, readVerifier, type Verifier } from '../../examiner/verify.mjs';

/** Signs notes (C2SP signed-note, Ed25519) under a name. */
export type NoteSigner = {
  verifier: Verifier;
  /** The public key as a line of text, for whoever checks. */
  publicKey: string;
  sign(text: string): string;
};

const publicKeyBytes = 32;

export function makeSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** `pem` is a private key of Ed25519 in PKCS #8; anything else throws. */
export function makeNoteSigner(name: string, pem: string): NoteSigner {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('It is not a private key of Ed25519.');
  const publicKey = publicKeyLine(name, privateKey);
  const verifier = readVerifier(publicKey);
  if (!verifier) throw new Error(`"${name}" can’t name a key: it must have no spaces and no plus.`);
  return {
    verifier,
    publicKey,
    sign(text) {
      const signature = Buffer.concat([verifier.id, sign(null, Buffer.from(text), privateKey)]);
      return `${text}\n— ${name} ${signature.toString('base64')}\n`;
    },
  };
}

/** The last 32 bytes of its DER are the key itself. */
function publicKeyLine(name: string, privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const key = der.subarray(-publicKeyBytes);
  return `${name}+${keyIdOf(name, key).toString('hex')}+${Buffer.concat([Buffer.from([1]), key]).toString('base64')}`;
}
