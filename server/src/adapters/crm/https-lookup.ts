import { randomUUID } from 'node:crypto';
import type { Webhook } from 'standardwebhooks';
import { type Crm, type CrmAccess, CrmFault, type RemoteContact } from '../../domain/ports.ts';
import { OutboundFault } from '../outbound/outbound.ts';
import { safeAddress } from './addresses.ts';
import { remoteContact } from './remote-contacts.ts';
import { openWebhook, verifyResponse } from './standard-webhooks.ts';

const contactsMax = 5_000;
const unexpected = 'What it responds with is no response to a lookup.';

export function openHttpsLookup(access: CrmAccess, ask: typeof fetch): Crm {
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
  ask: typeof fetch,
  phone: string,
  until: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const address = safeAddress(url);
  const webhook = openWebhook(secret);
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const body = JSON.stringify({ type: 'contact.lookup', data: { phone } });
  const headers = signedHeaders(webhook, id, body);
  const response = await ask(address, { method: 'POST', headers, body, signal: until, redirect: 'manual' });
  const isNobody = response.status === 404;
  if (response.status !== 200 && !isNobody) {
    await response.body?.cancel();
    throw new CrmFault(refusalOf(response.status));
  }
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
