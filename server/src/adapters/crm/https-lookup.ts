import { randomUUID } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Crm, type CrmAccess, CrmFault, type RemoteContact } from '../../domain/ports.ts';
import { ContactChange } from '../../schemas/address-book/contacts.ts';
import { stringLengthMax } from '../../schemas/shared/strings.ts';
import { validator } from '../../schemas/shared/validate.ts';
import { removeBroken } from '../files/contacts/import-rows.ts';
import { type Outbound, OutboundFault } from '../outbound/outbound.ts';

const contactsMax = 5_000;
const unexpected = 'What it responds with is no response to a lookup.';

export function openHttpsLookup(access: CrmAccess, ask: Outbound): Crm {
  return {
    async lookup(phone, until) {
      try {
        return withPhone(await askWho(access, ask, phone, until), phone);
      } catch (error) {
        throw faultOf(error, until);
      }
    },
  };
}

/** The first that can be used; a contact with a different number is ignored. */
function withPhone(contacts: Record<string, unknown>[], phone: string): RemoteContact | null {
  for (const { remoteContactId, remoteContactUrl, ...fields } of contacts) {
    const contact = remoteContact({ remoteContactId, remoteContactUrl, fields });
    if (contact?.fields.phone === phone) return contact;
  }
  return null;
}

/** Asks the CRM who has the number. */
async function askWho(
  { url, secret }: CrmAccess,
  ask: Outbound,
  phone: string,
  until: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const address = safeAddress(url);
  const webhook = openWebhook(secret);
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const body = JSON.stringify({ type: 'contact.lookup', data: { phone } });
  const headers = signedHeaders(webhook, id, body);
  const response = await ask(address, { method: 'POST', headers, body, signal: until });
  const isNobody = response.status === 404;
  if (response.status !== 200 && !isNobody) throw new CrmFault(refusalOf(response.status));
  const bytes = Buffer.from(await response.arrayBuffer());
  verifyResponse(webhook, id, response, bytes);
  return isNobody ? [] : contactsIn(response, bytes);
}

function signedHeaders(webhook: Webhook, id: string, body: string): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': webhook.sign(id, now, body),
  };
}

function contactsIn({ headers }: Response, bytes: Uint8Array): Record<string, unknown>[] {
  if (!/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) throw new CrmFault(unexpected);
  const answer: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (!isRecord(answer) || !Array.isArray(answer.contacts) || !answer.contacts.every(isRecord))
    throw new CrmFault('Its response has no list of contacts.');
  if (answer.contacts.length > contactsMax) throw new CrmFault(`It answered with more than ${contactsMax} contacts.`);
  return answer.contacts;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusalOf(status: number): string {
  if (status === 401 || status === 403) return 'It refuses the signature: is the secret the same on both sides?';
  if (status === 429) return 'It is throttling us: it answered 429.';
  if (status >= 500) return `It has an internal error: it answered ${status}.`;
  if (status >= 300 && status < 400)
    return 'It redirects, and redirects are not followed: use the address it redirects to.';
  return `It answered ${status}.`;
}

/** A fault with a sentence for the operator, and the error as its cause. */
function faultOf(error: unknown, until: AbortSignal): CrmFault {
  if (error instanceof CrmFault) return error;
  if (until.aborted) return new CrmFault('It was canceled before it was done.', { cause: error });
  return new CrmFault(error instanceof OutboundFault ? error.message : unexpected, { cause: error });
}

/** An address that contacts may come from: encrypted, or on this machine. */
function safeAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CrmFault('Its address is not a web address.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new CrmFault('Its address must begin with https://.');
  return url;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

const secretBytesMin = 24;
const secretBytesMax = 64;

/** Signs and verifies with a `whsec_…` secret. The library takes a key of any length, so its length is checked here. */
function openWebhook(secret: string): Webhook {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text, 'base64');
  if (key.length < secretBytesMin || key.length > secretBytesMax)
    throw new CrmFault(`Its signing secret must be whsec_ and ${secretBytesMin} to ${secretBytesMax} bytes in base64.`);
  return new Webhook(key, { format: 'raw' });
}

/**
 * Checks that a response was signed just now and for this question, so it is neither forged nor replayed. The library
 * checks the time and the signature; it can't know our question, so its id is checked here.
 */
function verifyResponse(webhook: Webhook, questionId: string, { status, headers }: Response, body: Buffer): void {
  if (!headers.get('webhook-signature') || !headers.get('webhook-timestamp'))
    throw new CrmFault(`It answered ${status} without a signature: is its address right?`);
  if (headers.get('webhook-id') !== questionId)
    throw new CrmFault('Its response is to a different question: the webhook-id differs.');
  try {
    webhook.verify(body, Object.fromEntries(headers), { jsonParse: false });
  } catch (error) {
    throw new CrmFault(reasonOf(error), { cause: error });
  }
}

/** The library's faults differ in their messages only: a bad time is "Message timestamp …" or "Invalid … Headers". */
function reasonOf(error: unknown): string {
  const isTime = error instanceof WebhookVerificationError && /timestamp|headers/i.test(error.message);
  return isTime
    ? 'Its response was signed over 5 minutes ago or ahead: is its clock right?'
    : 'The signature of its response is wrong: is the secret the same on both sides?';
}

/** A contact as a CRM gives it, not yet validated. */
type RawContact = {
  remoteContactId: unknown;
  remoteContactUrl: unknown;
  fields: Record<string, unknown>;
};

const fieldNames = Object.keys(ContactChange.properties);
const validate = validator(ContactChange);

/** The contact with the fields that obey the rules; null if it has no valid id. */
export function remoteContact({ remoteContactId, remoteContactUrl, fields }: RawContact): RemoteContact | null {
  if (!isId(remoteContactId)) return null;
  return { remoteContactId, remoteContactUrl: webAddress(remoteContactUrl), fields: fieldsOf(fields) };
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && isStorable(id);
}

function isStorable(text: string): boolean {
  const isShort = text.length <= 2 * stringLengthMax && [...text].length <= stringLengthMax;
  return isShort && text.isWellFormed() && !text.includes('\0');
}

function fieldsOf(given: Record<string, unknown>): RemoteContact['fields'] {
  const fields: Record<string, unknown> = {};
  for (const name of fieldNames) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (trimmed !== null && trimmed !== '') fields[name] = trimmed;
  }
  removeBroken(fields, validate);
  return fields as RemoteContact['fields'];
}

function webAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && isStorable(url.href) ? url.href : null;
}
