import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Delivery, TakenText } from './stand-in.ts';

type Answer = { status: number; body: unknown };
type SignedCall = { headers: Record<string, string>; body: string };

const keys = generateKeyPairSync('ed25519');
export const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
export const firstStatus = 'queued';
export const newId = () => randomUUID();

export function readSubmission(body: string): Pick<TakenText, 'from' | 'to' | 'text' | 'callback'> {
  const { from, to, text, webhook_url: callback } = JSON.parse(body);
  return { from, to, text, callback };
}

export function accepted(message: TakenText): Answer {
  return { status: 200, body: { data: resource(message) } };
}

export function refused(code: string, status: number): Answer {
  return { status, body: { errors: [{ code, title: 'An error', detail: 'An error happened.' }] } };
}

export const unauthorized = () => refused('10009', 401);
export const throttled = () => refused('10011', 429);
export const failed = (status: number) => refused('10007', status);

function resource({ id, from, to, text, createdAt, status, errorCode, callback }: TakenText) {
  return {
    record_type: 'message',
    direction: 'outbound',
    id,
    type: 'SMS',
    from: { phone_number: from, carrier: 'TELNYX LLC', line_type: 'VoIP' },
    to: [{ phone_number: to, status, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' }],
    cc: [],
    text,
    media: [],
    webhook_url: callback,
    webhook_failover_url: null,
    encoding: 'GSM-7',
    parts: 1,
    tags: [],
    cost: { amount: '0.0051', currency: 'USD' },
    received_at: createdAt,
    sent_at: null,
    completed_at: null,
    errors: errorCode ? [{ code: errorCode, title: 'An error' }] : [],
  };
}

/** There is nothing at that address. */
export function notFound(): Answer {
  return refused('10005', 404);
}

/** Texts by id, detail records, and lookups. */
export function look({ pathname, searchParams }: URL, taken: TakenText[]): Answer {
  const [, phone] = /\/number_lookup\/(.*)$/.exec(pathname) ?? [];
  if (phone) return lookup(decodeURIComponent(phone));
  if (pathname.endsWith('/messaging_profiles')) return { status: 200, body: { data: [] } };
  const [, id] = /\/messages\/([\w-]+)$/.exec(pathname) ?? [];
  const found = taken.filter((each) => each.vendor === 'telnyx' && (!id || each.id === id));
  if (id) return found[0] ? { status: 200, body: { data: resource(found[0]) } } : refused('10005', 404);
  const filter = (name: string) => searchParams.get(`filter${name}`) ?? '';
  if (filter('[record_type]') !== 'messaging') return refused('10015', 400);
  const data = found
    .filter(({ from, to }) => from === filter('[cli]') && to === filter('[cld]'))
    .filter(({ createdAt }) => createdAt >= filter('[created_at][gte]') && createdAt < filter('[created_at][lt]'))
    .map(({ id, from, to, createdAt }) => ({
      record_type: 'message_detail_record',
      uuid: id,
      cli: from,
      cld: to,
      created_at: createdAt,
      direction: 'outbound',
    }));
  return {
    status: 200,
    body: { data, meta: { page_number: 1, page_size: 20, total_pages: 1, total_results: data.length } },
  };
}

/** The last digit says what kind of line it is. */
function lookup(phone: string): Answer {
  if (phone.endsWith('9')) return refused('10002', 422);
  const types: Record<string, string> = { 1: 'mobile', 2: 'fixed line', 3: 'voip' };
  const carrier = { name: 'A carrier', type: types[phone.at(-1) ?? ''] ?? 'unknown', error_code: null };
  return { status: 200, body: { data: { record_type: 'number_lookup', phone_number: phone, carrier } } };
}

export function statusCall(message: TakenText, _url: string): SignedCall {
  const isFinal = !['queued', 'sending', 'sent'].includes(message.status);
  return signed(event(isFinal ? 'message.finalized' : 'message.sent', resource(message)));
}

export function replyCall({ url, from, to, text, id, keyword, media = [] }: Delivery): SignedCall {
  return signed(
    event('message.received', {
      record_type: 'message',
      direction: 'inbound',
      id,
      type: media.length > 0 ? 'MMS' : 'SMS',
      from: { phone_number: from, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' },
      to: [{ phone_number: to, status: 'webhook_delivered', carrier: 'TELNYX LLC', line_type: 'VoIP' }],
      text,
      media: media.map((each) => ({ url: each.url, content_type: each.contentType, size: each.size })),
      received_at: new Date().toISOString(),
      webhook_url: url,
      errors: [],
      ...(keyword && { autoresponse_type: keyword }),
    }),
  );
}

function event(event_type: string, payload: object): string {
  const occurred_at = new Date().toISOString();
  return JSON.stringify({
    data: { record_type: 'event', id: randomUUID(), event_type, occurred_at, payload },
    meta: { attempt: 1 },
  });
}

function signed(body: string): SignedCall {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'telnyx-timestamp': timestamp,
      'telnyx-signature-ed25519': signature,
    },
    body,
  };
}
