import type { DoubtfulText, FoundText, LineType, OutgoingText } from '../../../domain/ports.ts';
import { isTimeOf, spanOf, theOnlyOne } from '../http/doubts.ts';
import { at, listAt, textAt } from '../http/fields.ts';
import { receiptsUrl, referenceIn } from '../http/references.ts';
import { type Ask, noLookup, type Question, read } from '../http/requests.ts';
import { below } from '../http/settings.ts';
import { foundOf } from './codes.ts';
import { credentialsOf, type TelnyxSettings } from './settings.ts';

/** Between one advisor and one person there are few texts in three minutes. */
const candidatesMax = 20;

/** The request that hands a text over. */
export function submission(
  settings: TelnyxSettings,
  api: URL,
  { name, publicUrl }: { name: string; publicUrl: string },
): (text: OutgoingText) => Question {
  const { messagingProfileId } = settings;
  const headers = credentialsOf(settings);
  const url = below(api, 'messages');
  return (text) => {
    const message = {
      from: text.from,
      to: text.to,
      text: text.text,
      type: 'SMS',
      webhook_url: receiptsUrl(publicUrl, name, text),
      use_profile_webhooks: false,
      ...(messagingProfileId && { messaging_profile_id: messagingProfileId }),
    };
    return { url, headers, body: { type: 'application/json', text: JSON.stringify(message) } };
  };
}

/** One messaging profile, whichever it is. */
export function probe(settings: TelnyxSettings, api: URL): Question {
  const url = below(api, 'messaging_profiles');
  url.searchParams.set('page[size]', '1');
  return { url, headers: credentialsOf(settings) };
}

/**
 * Looks a text up by its id, or else among the detail records between the two numbers. A message repeats the address for
 * receipts, with our reference in it, so of several texts with the same wording the right one is found.
 */
export function makeFind(
  settings: TelnyxSettings,
  api: URL,
  ask: Ask,
): (text: DoubtfulText) => Promise<FoundText | null> {
  const headers = credentialsOf(settings);
  const data = async (url: URL) => at(await read(ask, { url, headers }), 'data');
  const message = (id: string) => data(below(api, `messages/${encodeURIComponent(id)}`));

  return async (text) => {
    if (text.carrierMessageId) return foundOf(await message(text.carrierMessageId));
    const records = await data(recordsUrl(api, text));
    const ids = Array.isArray(records) ? records.flatMap((record) => textAt(record, 'uuid') ?? []) : [];
    // What isn't on the page could fit too.
    if (ids.length >= candidatesMax) return null;
    const fitting = [];
    for (const id of ids) {
      const candidate = await message(id);
      if (fits(candidate, text)) fitting.push(candidate);
    }
    return foundOf(theOnlyOne(fitting));
  };
}

function recordsUrl(api: URL, text: DoubtfulText): URL {
  const url = below(api, 'detail_records');
  const { from, to } = spanOf(text);
  const filters = {
    'filter[record_type]': 'messaging',
    'filter[direction]': 'outbound',
    'filter[cli]': text.from,
    'filter[cld]': text.to,
    'filter[created_at][gte]': from.toISOString(),
    'filter[created_at][lt]': to.toISOString(),
    'page[size]': String(candidatesMax),
  };
  url.search = String(new URLSearchParams(filters));
  return url;
}

function fits(message: unknown, text: DoubtfulText): boolean {
  const isBetween =
    textAt(message, 'from', 'phone_number') === text.from &&
    listAt(message, 'to').length === 1 &&
    textAt(message, 'to', 0, 'phone_number') === text.to;
  const taken = new Date(textAt(message, 'received_at') ?? Number.NaN);
  if (!isBetween || at(message, 'text') !== text.text || !isTimeOf(text, taken)) return false;
  const reference = referenceIn(textAt(message, 'webhook_url'));
  return reference === null || text.reference === undefined || reference === text.reference;
}

/**
 * A number that doesn't exist is an error of its own. A 404 says nothing about the number: it is what a wrong `apiUrl` gets. Kinds
 * that may or may not take texts, such as VoIP, are `unknown`.
 */
export function makeLookUp(settings: TelnyxSettings, api: URL, ask: Ask): (phone: string) => Promise<LineType> {
  const headers = credentialsOf(settings);
  return async (phone) => {
    const url = below(api, `number_lookup/${encodeURIComponent(phone)}`);
    url.searchParams.set('type', 'carrier');
    const { status, body } = await ask({ url, headers });
    const code = textAt(body, 'errors', 0, 'code') ?? '';
    if (notNumber.includes(code)) return 'unreachable';
    if (status !== 200 && status !== 404) throw new Error(`${api.host} answers with ${status}.`);
    if (status === 404 || at(body, 'data') === undefined) throw noLookup(api);
    const type = textAt(body, 'data', 'carrier', 'type');
    if (type === 'fixed line') return 'landline';
    return type === 'mobile' ? type : 'unknown';
  };
}

/** "Invalid phone number", and "phone number must be in +E.164 format". */
const notNumber = ['10002', '10016'];
