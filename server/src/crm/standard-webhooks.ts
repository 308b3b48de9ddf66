import { createHmac, timingSafeEqual } from 'node:crypto';
import { CrmFault } from '../domain/ports.ts';

/** What Standard Webhooks signs: who asked, when, and every byte of the body. */
export type Signed = { id: string; timestamp: string; body: string | Uint8Array };

const secretBytesMin = 24;
const secretBytesMax = 64;

/** The key that is in `whsec_…`. */
export function signingKey(secret: string): Buffer {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text, 'base64');
  if (key.length < secretBytesMin || key.length > secretBytesMax)
    throw new CrmFault(`Its signing secret must be whsec_ and ${secretBytesMin} to ${secretBytesMax} bytes in base64.`);
  return key;
}

/** The value of `webhook-signature`. */
export function sign(key: Buffer, { id, timestamp, body }: Signed): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** There may be several signatures, while a secret is being changed. */
export function isSigned(key: Buffer, signed: Signed, signatures: string): boolean {
  const right = Buffer.from(sign(key, signed));
  return signatures.split(' ').some((each) => {
    const given = Buffer.from(each);
    return given.length === right.length && timingSafeEqual(given, right);
  });
}
