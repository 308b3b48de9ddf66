import { AssentError } from './errors.ts';
import type { WebhookEvent } from './types.ts';

/** How far the sender's clock may be from ours. */
const toleranceSeconds = 5 * 60;

export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * The event that a request to your endpoint carries. Pass the body as it came, before anything parsed it, and the secret that
 * `assent webhooks add` printed. Rejects with the code `signature` if it isn't ours, was altered, or is too old (Standard Webhooks).
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => read(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures) throw refused('A header of the signature is missing.');
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('The timestamp is not a number.');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw refused('It is too old, or a clock is wrong.');
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody as ArrayBuffer);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',', 2);
    const bytes = version === 'v1' ? decode(value) : null;
    // It takes the same time whatever differs.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return parse(body);
  }
  throw refused('No signature matches: it is not from Assent, was altered, or the secret is another endpoint’s.');
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  // Not `instanceof`: node-fetch and other realms have a class of their own.
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('The secret is not one that assent webhooks printed: whsec_…');
  return bytes;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new AssentError('The body is signed, but it is not JSON.', { code: 'bad_response', cause });
  }
}

function refused(message: string): AssentError {
  return new AssentError(message, { code: 'signature' });
}
