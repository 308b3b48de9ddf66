import { createPublicKey, verify } from 'node:crypto';
import type {
  CarrierCall,
  CarrierNews,
  IncomingMedia,
  IncomingReply,
  ReadCarrierCall,
  Receipt,
} from '../../../domain/ports.ts';
import { at, jsonOf, keywordOf, listAt, textAt } from '../http/fields.ts';
import { receiptReference } from '../http/references.ts';
import { receiptOf } from './codes.ts';
import type { TelnyxSettings } from './settings.ts';

const response = { type: 'application/json; charset=utf-8', body: '{}' };
const toleranceSeconds = 5 * 60;
/** Ed25519 in base64: 64 bytes. */
const signatureShape = /^[A-Za-z0-9+/]{86}==$/;
const mediaMax = 10;

/** Reads Telnyx's calls: what became of a text, and what a person wrote. Either comes repeated, late and in any order. */
export function telnyxReader({ publicKey }: TelnyxSettings): ReadCarrierCall {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

  function isSigned({ headers, body }: CarrierCall, now: Date): boolean {
    const { 'telnyx-signature-ed25519': signature = '', 'telnyx-timestamp': timestamp = '' } = headers;
    if (!signatureShape.test(signature) || !/^\d{1,15}$/.test(timestamp)) return false;
    const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
    if (Math.abs(ageSeconds) > toleranceSeconds) return false;
    return verify(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), key, Buffer.from(signature, 'base64'));
  }

  return (call, now) => (isSigned(call, now) ? newsOf(jsonOf(call.body.toString()), now) : null);
}

function newsOf(event: unknown, now: Date): CarrierNews {
  const message = at(event, 'data', 'payload');
  const type = textAt(event, 'data', 'event_type');
  const carrierMessageId = textAt(message, 'id');
  if (!carrierMessageId) return { replies: [], receipts: [], response };
  return {
    replies: type === 'message.received' ? repliesOf(carrierMessageId, message, now) : [],
    receipts: type === 'message.sent' || type === 'message.finalized' ? receiptsOf(carrierMessageId, message) : [],
    response,
  };
}

function receiptsOf(carrierMessageId: string, message: unknown): Receipt[] {
  const receipt = receiptOf(message);
  if (!receipt) return [];
  const from = textAt(message, 'from', 'phone_number');
  const to = textAt(message, 'to', 0, 'phone_number');
  // The address in the message is signed; the one that was called isn't.
  const reference = receiptReference(textAt(message, 'webhook_url'));
  return [{ carrierMessageId, ...receipt, ...reference, ...(from && { from }), ...(to && { to }) }];
}

/** A text to a group has several recipients, one of which is ours; the domain knows which. */
function repliesOf(carrierMessageId: string, message: unknown, now: Date): IncomingReply[] {
  const from = textAt(message, 'from', 'phone_number') ?? '';
  const received = new Date(textAt(message, 'received_at') ?? Number.NaN);
  const sentAt = Number.isNaN(received.getTime()) ? now : received;
  const keyword = keywordOf(textAt(message, 'autoresponse_type'));
  const media = listAt(message, 'media').slice(0, mediaMax).flatMap(mediaOf);
  const rest = {
    text: textAt(message, 'text') ?? '',
    sentAt,
    keyword,
    ...(media.length > 0 && { media }),
  };
  return listAt(message, 'to').flatMap((each) => {
    const to = textAt(each, 'phone_number');
    return to ? [{ carrierMessageId, from, to, ...rest }] : [];
  });
}

function mediaOf(each: unknown): IncomingMedia[] {
  const url = textAt(each, 'url');
  const size = at(each, 'size');
  const contentType = textAt(each, 'content_type') ?? 'application/octet-stream';
  return url ? [{ url, contentType, ...(typeof size === 'number' && { size }) }] : [];
}
