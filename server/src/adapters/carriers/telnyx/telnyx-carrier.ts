import type { DoubtfulText, SubmissionAtCarrier } from '../../../domain/ports.ts';
import { isTimeOf, spanOf, theOnlyOne } from '../http/doubts.ts';
import { at, listAt, textAt } from '../http/fields.ts';
import { httpKind, type Vendor } from '../http/http-carrier.ts';
import { referenceIn } from '../http/references.ts';
import { type Ask, noLookup, read } from '../http/requests.ts';
import { apiAddress, below, type NodeSettings } from '../http/settings.ts';
import { telnyxReader } from './calls.ts';
import { foundOf, resultOf } from './codes.ts';
import { type TelnyxSettings, telnyxSchema } from './settings.ts';

/** Between one advisor and one person there are few texts in three minutes. */
const candidatesMax = 20;
/** "Invalid phone number", and "phone number must be in +E.164 format". */
const notNumber = ['10002', '10016'];

/** Texts by Telnyx's Messaging API, version 2. */
export const telnyxKind = httpKind(vendorOf, { schema: telnyxSchema, secrets: ['apiKey'], reader: telnyxReader });

function vendorOf({ apiKey, messagingProfileId, apiUrl }: TelnyxSettings, node: NodeSettings): Vendor {
  const api = apiAddress(apiUrl ?? 'https://api.telnyx.com/v2', node);

  async function message(id: string, ask: Ask): Promise<unknown> {
    return at(await read(ask, below(api, `messages/${encodeURIComponent(id)}`)), 'data');
  }

  /**
   * Among the detail records between the two numbers. A message repeats the address for receipts, with our reference in it, so of
   * several texts with the same wording the right one is found.
   */
  async function findListed(text: DoubtfulText, ask: Ask): Promise<SubmissionAtCarrier | null> {
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
    const records = listAt(await read(ask, below(api, 'detail_records', filters)), 'data');
    const ids = records.flatMap((record) => textAt(record, 'uuid') ?? []);
    // What isn't on the page could fit too.
    if (ids.length >= candidatesMax) return null;
    const fitting = [];
    for (const id of ids) {
      const candidate = await message(id, ask);
      if (fits(candidate, text)) fitting.push(candidate);
    }
    return foundOf(theOnlyOne(fitting));
  }

  return {
    api,
    credentials: { authorization: `Bearer ${apiKey}` },
    // The addresses of its media are signed.
    keepsMedia: false,
    resultOf,
    probe: below(api, 'messaging_profiles', { 'page[size]': '1' }),
    submission({ from, to, text }, receiptsTo) {
      const submitted = {
        ...{ from, to, text, type: 'SMS', webhook_url: receiptsTo, use_profile_webhooks: false },
        ...(messagingProfileId && { messaging_profile_id: messagingProfileId }),
      };
      return { url: below(api, 'messages'), body: { type: 'application/json', text: JSON.stringify(submitted) } };
    },
    async find(text, ask) {
      return text.carrierMessageId ? foundOf(await message(text.carrierMessageId, ask)) : findListed(text, ask);
    },
    /**
     * A number that doesn't exist is an error of its own. A 404 says nothing about the number: it is what a wrong `apiUrl` gets.
     * Kinds that may or may not take texts, such as VoIP, are `unknown`.
     */
    async lookUp(phone, ask) {
      const url = below(api, `number_lookup/${encodeURIComponent(phone)}`, { type: 'carrier' });
      const { status, body } = await ask({ url });
      const code = textAt(body, 'errors', 0, 'code') ?? '';
      if (notNumber.includes(code)) return 'unreachable';
      if (status !== 200 && status !== 404) throw new Error(`${api.host} answers with ${status}.`);
      if (status === 404 || at(body, 'data') === undefined) throw noLookup(api);
      const type = textAt(body, 'data', 'carrier', 'type');
      if (type === 'fixed line') return 'landline';
      return type === 'mobile' ? type : 'unknown';
    },
  };
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
