import { randomBytes } from 'node:crypto';
import twilio from 'twilio';
import { accountSid, authToken, type Delivery, type TakenText } from './stand-in.ts';

type Answer = { status: number; body: unknown };
type SignedCall = { headers: Record<string, string>; body: string };

export const firstStatus = 'queued';

export function newId(): string {
  return `SM${randomBytes(16).toString('hex')}`;
}

export function readSubmission(body: string): Pick<TakenText, 'from' | 'to' | 'text' | 'callback'> {
  const form = new URLSearchParams(body);
  const given = (name: string) => form.get(name) ?? '';
  return { from: given('From'), to: given('To'), text: given('Body'), callback: given('StatusCallback') };
}

export function accepted(message: TakenText): Answer {
  return { status: 201, body: resource(message) };
}

export function refused(code: string, status: number): Answer {
  return {
    status,
    body: { code: Number(code), message: 'An error.', more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  };
}

export const unauthorized = () => refused('20003', 401);
export const throttled = () => refused('20429', 429);
export const failed = (status: number) => refused(status === 503 ? '20503' : '20500', status);

function resource({ id, from, to, text, createdAt, status, errorCode }: TakenText) {
  const date = new Date(createdAt).toUTCString().replace('GMT', '+0000');
  return {
    sid: id,
    account_sid: accountSid,
    messaging_service_sid: null,
    api_version: '2010-04-01',
    direction: 'outbound-api',
    from,
    to,
    body: text,
    status,
    error_code: errorCode && Number(errorCode),
    error_message: null,
    date_created: date,
    date_sent: status === 'queued' ? null : date,
    date_updated: date,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: 'USD',
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${id}.json`,
    subresource_uris: {},
  };
}

/** There is nothing at that address. */
export function notFound(): Answer {
  return refused('20404', 404);
}

/** Texts by SID or in a list, and lookups. */
export function look({ pathname, searchParams }: URL, taken: TakenText[]): Answer {
  const [, phone] = /\/v2\/PhoneNumbers\/(.*)$/.exec(pathname) ?? [];
  if (phone) return lookup(decodeURIComponent(phone));
  const [, sid] = /\/Messages\/(\w+)\.json$/.exec(pathname) ?? [];
  const found = taken.filter(({ vendor, id }) => vendor === 'twilio' && (!sid || id === sid));
  if (sid) return found[0] ? { status: 200, body: resource(found[0]) } : refused('20404', 404);
  const messages = found.filter(
    ({ from, to, createdAt, status }) =>
      from === searchParams.get('From') &&
      to === searchParams.get('To') &&
      status !== 'queued' &&
      createdAt.slice(0, 10) >= (searchParams.get('DateSent>') ?? '') &&
      createdAt.slice(0, 10) <= (searchParams.get('DateSent<') ?? '9'),
  );
  const page = { page: 0, page_size: 100, start: 0, end: messages.length, first_page_uri: '', previous_page_uri: null };
  return { status: 200, body: { ...page, uri: '', next_page_uri: null, messages: messages.map(resource) } };
}

/** The last digit says what kind of line it is. */
function lookup(phone: string): Answer {
  const types: Record<string, string> = { 1: 'mobile', 2: 'landline', 3: 'nonFixedVoip' };
  const type = types[phone.at(-1) ?? ''] ?? null;
  const line_type_intelligence = { type, carrier_name: 'A carrier', error_code: null };
  const valid = !phone.endsWith('9');
  return {
    status: 200,
    body: { phone_number: phone, valid, validation_errors: valid ? [] : ['TOO_SHORT'], line_type_intelligence },
  };
}

export function statusCall({ id, from, to, status, errorCode }: TakenText, url: string): SignedCall {
  const fields = { MessageSid: id, SmsSid: id, MessageStatus: status, SmsStatus: status, From: from, To: to };
  // What follows `#` says how often the call is repeated, and is no part of the address that is called.
  const [called = ''] = url.split('#');
  return signed(called, {
    ...fields,
    AccountSid: accountSid,
    ApiVersion: '2010-04-01',
    ...(errorCode && { ErrorCode: errorCode }),
  });
}

export function replyCall({ url, from, to, text, id, keyword, media = [] }: Delivery): SignedCall {
  const attached = media.flatMap((each, index) => [
    [`MediaUrl${index}`, each.url],
    [`MediaContentType${index}`, each.contentType],
  ]);
  return signed(url, {
    MessageSid: id,
    SmsMessageSid: id,
    SmsStatus: 'received',
    NumMedia: String(media.length),
    From: from,
    To: to,
    Body: text,
    AccountSid: accountSid,
    ...(keyword && { OptOutType: keyword }),
    ...Object.fromEntries(attached),
  });
}

/** As Twilio's own library says that Twilio signs. */
function signed(url: string, fields: Record<string, string>): SignedCall {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': twilio.getExpectedTwilioSignature(authToken, url, fields),
  };
  return { headers, body: new URLSearchParams(fields).toString() };
}
