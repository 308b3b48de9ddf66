import type { DoubtfulText, SubmissionAtCarrier } from '../../../domain/ports.ts';
import { isTimeOf, spanOf, theOnlyOne } from '../http/doubts.ts';
import { at, listAt, textAt } from '../http/fields.ts';
import { httpKind, type Vendor } from '../http/http-carrier.ts';
import { type Ask, noLookup, read } from '../http/requests.ts';
import { apiAddress, below, type NodeSettings } from '../http/settings.ts';
import { twilioReader } from './calls.ts';
import { foundOf, resultOf } from './codes.ts';
import { type TwilioSettings, twilioSchema } from './settings.ts';

const listMax = 100;
const dayMs = 24 * 60 * 60 * 1_000;

/** Texts by Twilio's Programmable Messaging. */
export const twilioKind = httpKind(vendorOf, {
  schema: twilioSchema,
  secrets: ['authToken', 'otherAuthToken', 'apiKeySecret'],
  reader: twilioReader,
});

/** Without it, Twilio makes a call once: a receipt that comes while we start is lost. It keeps what follows `#` to itself. */
const repeats = '#rc=5&rp=all';

function vendorOf(settings: TwilioSettings, node: NodeSettings): Vendor {
  const { accountSid, authToken, apiKeySid = accountSid, apiKeySecret = authToken, messagingServiceSid } = settings;
  const api = apiAddress(settings.apiUrl ?? 'https://api.twilio.com', node);
  const lookups = apiAddress(settings.lookupsUrl ?? 'https://lookups.twilio.com', node);
  const messages = `2010-04-01/Accounts/${accountSid}/Messages`;

  /** In the list of texts between the two numbers. */
  async function findListed(text: DoubtfulText, ask: Ask): Promise<SubmissionAtCarrier | null> {
    const { from, to } = spanOf(text);
    // Whole days, in UTC. A text that still waits at Twilio has no such date yet: it is found later.
    const dates = { 'DateSent>': dayOf(from), 'DateSent<': dayOf(new Date(to.getTime() + dayMs)) };
    const query = { To: text.to, From: text.from, PageSize: String(listMax), ...dates };
    const page = await read(ask, below(api, `${messages}.json`, query));
    // What isn't on the page could fit too.
    if (textAt(page, 'next_page_uri')) return null;
    return foundOf(theOnlyOne(listAt(page, 'messages').filter((message) => fits(message, text))));
  }

  return {
    api,
    credentials: { authorization: `Basic ${Buffer.from(`${apiKeySid}:${apiKeySecret}`).toString('base64')}` },
    keepsMedia: true,
    resultOf,
    // API keys may read texts even if they may not read the account.
    probe: below(api, `${messages}.json`, { PageSize: '1' }),
    // Our number is always named, also with a Messaging Service, so that people can reply.
    submission(text, receiptsTo) {
      const StatusCallback = `${receiptsTo}${repeats}`;
      const form = new URLSearchParams({ To: text.to, From: text.from, Body: text.text, StatusCallback });
      if (messagingServiceSid) form.set('MessagingServiceSid', messagingServiceSid);
      const body = { type: 'application/x-www-form-urlencoded; charset=utf-8', text: form.toString() };
      return { url: below(api, `${messages}.json`), body };
    },
    async find(text, ask) {
      if (!text.carrierMessageId) return findListed(text, ask);
      return foundOf(await read(ask, below(api, `${messages}/${encodeURIComponent(text.carrierMessageId)}.json`)));
    },
    /**
     * Lookup v2, which says of a number that doesn't exist that it isn't valid. A 404 says nothing about the number: it is what a
     * wrong `lookupsUrl` gets. Kinds that may or may not take texts, such as VoIP, are `unknown`.
     */
    async lookUp(phone, ask) {
      const path = `v2/PhoneNumbers/${encodeURIComponent(phone)}`;
      const found = await read(ask, below(lookups, path, { Fields: 'line_type_intelligence' }));
      const valid = at(found, 'valid');
      if (typeof valid !== 'boolean') throw noLookup(lookups);
      if (!valid) return 'unreachable';
      const type = textAt(found, 'line_type_intelligence', 'type');
      return type === 'mobile' || type === 'landline' ? type : 'unknown';
    },
  };
}

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
