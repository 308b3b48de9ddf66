import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const present = 0x01;
const verified = 0x04;
const attested = 0x40;

/** What a test may change compared with an honest authenticator. */
type Twist = {
  origin?: string;
  counter?: number;
  userVerified?: boolean;
  userHandle?: string;
  type?: string;
  attestation?: { fmt: string; attStmt: Map<string, unknown> };
};

/** A passkey without a device: one key pair, and the responses that a browser would give with it. */
export function makePasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');

  function clientData(type: string, challenge: string, twist: Twist): Buffer {
    return Buffer.from(JSON.stringify({ type: twist.type ?? type, challenge, origin: twist.origin ?? origin }));
  }

  function authenticatorData(twist: Twist, more: Buffer): Buffer {
    const flags = present | (twist.userVerified === false ? 0 : verified) | (more.length > 0 ? attested : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? 0);
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), counter, more]);
  }

  return {
    id,
    /** The response to registration options. */
    register({ challenge }: { challenge: string }, twist: Twist = {}) {
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      );
      const length = Buffer.from([0, credentialId.length]);
      const data = authenticatorData(twist, Buffer.concat([Buffer.alloc(16), length, credentialId, key]));
      const attestation = new Map<string, unknown>([
        ['fmt', twist.attestation?.fmt ?? 'none'],
        ['attStmt', twist.attestation?.attStmt ?? new Map()],
        ['authData', new Uint8Array(data)],
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, twist).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
    /** The response to sign-in options. */
    signIn({ challenge }: { challenge: string }, advisorId: number, twist: Twist = {}) {
      const client = clientData('webauthn.get', challenge, twist);
      const data = authenticatorData(twist, Buffer.alloc(0));
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        userHandle: twist.userHandle ?? Buffer.from(String(advisorId)).toString('base64url'),
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
