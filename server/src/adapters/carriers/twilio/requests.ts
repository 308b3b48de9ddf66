import type { DoubtfulText, FoundText, LineType, OutgoingText } from '../../../domain/ports.ts';
import { isTimeOf, spanOf, theOnlyOne } from '../http/doubts.ts';
import { at, listAt, textAt } from '../http/fields.ts';
import { receiptsUrl } from '../http/references.ts';
import { type Ask, noLookup, type Question, read } from '../http/requests.ts';
import { below } from '../http/settings.ts';
import { foundOf } from './codes.ts';
import { credentialsOf, type TwilioSettings } from './settings.ts';

export type Addresses = { api: URL; lookups: URL };

const listMax = 100;

/** The request that hands a text over. Our number is always named, also with a Messaging Service, so that people can reply. */
export function submission(
  settings: TwilioSettings,
  { api }: Addresses,
  { name, publicUrl }: { name: string; publicUrl: string },
): (text: OutgoingText) => Question {
  const { messagingServiceSid } = settings;
  const headers = credentialsOf(settings);
  return (text) => {
    const form = new URLSearchParams({ To: text.to, From: text.from, Body: text.text });
    if (messagingServiceSid) form.set('MessagingServiceSid', messagingServiceSid);
    form.set('StatusCallback', receiptsUrl(publicUrl, name, text));
    const body = { type: 'application/x-www-form-urlencoded; charset=utf-8', text: form.toString() };
    return { url: messagesUrl(api, settings), headers, body };
  };
}

/** One text, whichever it is. API keys may read texts even if they may not read the account. */
export function probe(settings: TwilioSettings, { api }: Addresses): Question {
  const url = messagesUrl(api, settings);
  url.searchParams.set('PageSize', '1');
  return { url, headers: credentialsOf(settings) };
}

/** Looks a text up by its SID, or else in the list of those between the two numbers. */
export function makeFind(
  settings: TwilioSettings,
  { api }: Addresses,
  ask: Ask,
): (text: DoubtfulText) => Promise<FoundText | null> {
  const headers = credentialsOf(settings);
  return async (text) => {
    const { carrierMessageId, from, to } = text;
    if (carrierMessageId)
      return foundOf(await read(ask, { url: messagesUrl(api, settings, carrierMessageId), headers }));
    const url = messagesUrl(api, settings);
    const span = spanOf(text);
    // Whole days, in UTC. A text that still waits at Twilio has no such date yet: it is found later.
    const dates = { 'DateSent>': dayOf(span.from), 'DateSent<': dayOf(new Date(span.to.getTime() + dayMs)) };
    url.search = String(new URLSearchParams({ To: to, From: from, PageSize: String(listMax), ...dates }));
    const page = await read(ask, { url, headers });
    // What isn't on the page could fit too.
    if (textAt(page, 'next_page_uri')) return null;
    return foundOf(theOnlyOne(listAt(page, 'messages').filter((message) => fits(message, text))));
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function fits(message: unknown, text: DoubtfulText): boolean {
  const created = new Date(textAt(message, 'date_created') ?? Number.NaN);
  const isOurs = textAt(message, 'direction') === 'outbound-api' && at(message, 'body') === text.text;
  return (
    isOurs && textAt(message, 'from') === text.from && textAt(message, 'to') === text.to && isTimeOf(text, created)
  );
}

/**
 * Lookup v2, which says of a number that doesn't exist that it isn't valid. A 404 says nothing about the number: it is what a
 * wrong `lookupsUrl` gets. Kinds that may or may not take texts, such as VoIP, are `unknown`.
 */
export function makeLookUp(
  settings: TwilioSettings,
  { lookups }: Addresses,
  ask: Ask,
): (phone: string) => Promise<LineType> {
  const headers = credentialsOf(settings);
  return async (phone) => {
    const url = below(lookups, `v2/PhoneNumbers/${encodeURIComponent(phone)}`);
    url.searchParams.set('Fields', 'line_type_intelligence');
    const found = await read(ask, { url, headers });
    const valid = at(found, 'valid');
    if (typeof valid !== 'boolean') throw noLookup(lookups);
    if (!valid) return 'unreachable';
    const type = textAt(found, 'line_type_intelligence', 'type');
    return type === 'mobile' || type === 'landline' ? type : 'unknown';
  };
}

function messagesUrl(api: URL, { accountSid }: TwilioSettings, sid?: string): URL {
  const path = `2010-04-01/Accounts/${accountSid}/Messages`;
  return below(api, sid === undefined ? `${path}.json` : `${path}/${encodeURIComponent(sid)}.json`);
}
