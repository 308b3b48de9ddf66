import { parse } from 'node:querystring';
import type { CarrierCall, CarrierNews, IncomingMedia, ReadCarrierCall } from '../../../domain/ports.ts';
import { jsonOf, keywordOf } from '../http/fields.ts';
import { receiptReference } from '../http/references.ts';
import { receiptOf } from './codes.ts';
import type { TwilioSettings } from './settings.ts';
import { isSigned, isSignedByHash, looksSigned, matchesHash, type SignedParameters } from './signatures.ts';

/** Null if the call doesn't have it; the sender may be empty. */
type FieldReader = (name: string) => string | null;

/** Twilio shows a text back to the person unless the response is TwiML without one. */
const response = { type: 'text/xml; charset=utf-8', body: '<?xml version="1.0" encoding="UTF-8"?><Response/>' };
const mediaMax = 10;
/** Twilio sends a few dozen. */
const parametersMax = 500;
const messageSid = /^(SM|MM)[0-9a-f]{32}$/i;
const shapes = {
  MessageSid: messageSid,
  SmsSid: messageSid,
  SmsMessageSid: messageSid,
  NumMedia: /^\d{1,2}$/,
  ErrorCode: /^\d{0,9}$/,
};
const parameterName = /^[A-Z][A-Za-z0-9]{0,63}$/;
/** Twilio's names that contain what tells calls and people apart. No other name does, and no value but the person's own words. */
const tellingNames = [
  { word: 'MessageSid', names: /MessageSid$/ },
  { word: 'From', names: /^From/ },
];
const none: SignedParameters = new Map();

/** Reads Twilio's calls: what became of a text, and what a person wrote. Either comes repeated, late and in any order. */
export function twilioReader({ accountSid, authToken, otherAuthToken }: TwilioSettings): ReadCarrierCall {
  const tokens = [authToken, ...(otherAuthToken ? [otherAuthToken] : [])];
  return (call, now) => {
    const { url, headers, body } = call;
    const signature = headers['x-twilio-signature'];
    if (!looksSigned(signature)) return null;
    const byHash = isSignedByHash(url);
    const parameters = byHash ? none : formOf(body);
    if (!tokens.some((token) => isSigned(token, { url, signature, parameters }))) return null;
    if (byHash && !matchesHash(url, body)) return null;
    const given = byHash ? parametersIn(body) : parameters;
    if (!isWellShaped(given, accountSid) || !(byHash || isUnshifted(given))) return null;
    return newsOf((name) => given.get(name)?.[0] ?? null, call, now);
  };
}

/** Anybody can send a form, and URLSearchParams would take 20 seconds for a megabyte of `a&a&a&`. */
function formOf(body: Buffer): SignedParameters {
  const fields = Object.entries(parse(body.toString(), '&', '=', { maxKeys: parametersMax }));
  return new Map(fields.map(([name, values = '']) => [name, [values].flat()]));
}

/** JSON has the same names. */
function parametersIn(body: Buffer): SignedParameters {
  const value = jsonOf(body.toString());
  if (typeof value !== 'object' || value === null) return none;
  return new Map(
    Object.entries(value).flatMap(([name, each]) =>
      typeof each === 'string' || typeof each === 'number' ? [[name, [String(each)]] as const] : [],
    ),
  );
}

/** Whether what we go by looks as Twilio writes it. */
function isWellShaped(parameters: SignedParameters, accountSid: string): boolean {
  const account = parameters.get('AccountSid')?.[0];
  if (account !== undefined && account.toLowerCase() !== accountSid.toLowerCase()) return false;
  return Object.entries(shapes).every(
    ([name, shape]) => parameters.get(name)?.every((value) => shape.test(value)) ?? true,
  );
}

/**
 * Twilio signs a form's names and values without anything between them, so a recorded call is signed however it is split: as if its
 * `MessageSid` were `SM…NumMedia0`, which nobody has seen before, or as if words that somebody wrote were another person's `From`. So
 * every name is there once and looks like one, and outside of the person's own words, what tells calls and people apart is in names
 * alone, also across two fields.
 */
function isUnshifted(form: SignedParameters): boolean {
  const others = [...form.keys()].filter((name) => name !== 'Body').sort();
  const signed = others.map((name) => `${name}${form.get(name)}`).join('');
  return (
    [...form].every(([name, values]) => values.length === 1 && parameterName.test(name)) &&
    tellingNames.every(
      ({ word, names }) => signed.split(word).length - 1 === others.filter((name) => names.test(name)).length,
    )
  );
}

function newsOf(read: FieldReader, { url }: CarrierCall, now: Date): CarrierNews {
  const carrierMessageId = read('MessageSid') || read('SmsSid');
  const [from, to] = [read('From'), read('To')];
  const nothing = { replies: [], receipts: [], response };
  if (!carrierMessageId) return nothing;
  const status = read('MessageStatus') || read('SmsStatus');
  if (status && status !== 'received') {
    const receipt = receiptOf(status, read('ErrorCode'));
    if (!receipt) return nothing;
    const numbers = { ...(from && { from }), ...(to && { to }) };
    return { ...nothing, receipts: [{ carrierMessageId, ...receipt, ...receiptReference(url), ...numbers }] };
  }
  if (from === null || !to) return nothing;
  const media = mediaOf(read);
  // Twilio doesn't say when the person sent it, and calls at once.
  const reply = { carrierMessageId, from, to, text: read('Body') ?? '', sentAt: now };
  return {
    ...nothing,
    replies: [{ ...reply, keyword: keywordOf(read('OptOutType')), ...(media.length > 0 && { media }) }],
  };
}

function mediaOf(read: FieldReader): IncomingMedia[] {
  const count = Math.min(Number(read('NumMedia') ?? 0) || 0, mediaMax);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const url = read(`MediaUrl${index}`);
    return url ? [{ url, contentType: read(`MediaContentType${index}`) || 'application/octet-stream' }] : [];
  });
}
