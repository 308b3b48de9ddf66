import { randomUUID } from 'node:crypto';
import type { Webhook } from 'standardwebhooks';
import { type Crm, type CrmAccess, type CrmBatch, CrmFault, type RemoteContact } from '../../domain/ports.ts';
import { safeAddress } from './addresses.ts';
import { withFaults } from './faults.ts';
import { type ContactResult, contactsMax, emptyBatch, type Label, remoteContact, sorter } from './remote-contacts.ts';
import { openWebhook, verifyResponse } from './standard-webhooks.ts';

type Access = CrmAccess & { kind: 'https' };
type Question =
  | { type: 'contact.lookup'; data: { phone: string } }
  | { type: 'contact.list'; data: { cursor: string | null; limit: number } };
type LookupPage = { contacts: Record<string, unknown>[]; nextCursor: string | null };

const contactsAtOnce = 500;
const contactsAtOnceMax = 5_000;
const pagesMax = 2_000;
const cursorCharactersMax = 2_000;
const unexpected = 'What it responds with is no response to a lookup.';

export function openHttpsLookup(access: Access, ask: typeof fetch): Crm {
  return withFaults(unexpected, {
    lookup: (phone, until) => lookUp(access, ask, phone, until),
    list: (_known, until) => listPages(access, ask, until),
  });
}

/** A contact with a different number is ignored. */
async function lookUp(
  access: Access,
  ask: typeof fetch,
  phone: string,
  until: AbortSignal,
): Promise<RemoteContact | null> {
  const page = await askQuestion(access, ask, { type: 'contact.lookup', data: { phone } }, until);
  for (const raw of page?.contacts ?? []) {
    const contact = contactOf(raw);
    if (!('refused' in contact) && contact.fields.phone === phone) return contact;
  }
  return null;
}

async function* listPages(access: Access, ask: typeof fetch, until: AbortSignal): AsyncGenerator<CrmBatch> {
  const sort = sorter();
  const cursors = new Set<string>();
  let count = 0;
  for (let cursor: string | null = null; ; ) {
    const data = { cursor, limit: contactsAtOnce };
    const page: LookupPage | null = await askQuestion(access, ask, { type: 'contact.list', data }, until);
    const batch = emptyBatch();
    for (const raw of page?.contacts ?? []) {
      count += 1;
      if (count > contactsMax) throw new CrmFault(`It has more than ${contactsMax} contacts.`);
      sort(batch, labelOf(raw, count), contactOf(raw));
    }
    yield batch;
    cursor = page?.nextCursor ?? null;
    if (cursor === null) return;
    if (cursors.has(cursor)) throw new CrmFault('Its pages never end: it repeats a cursor.');
    cursors.add(cursor);
    if (cursors.size >= pagesMax) throw new CrmFault(`It has more than ${pagesMax} pages.`);
  }
}

/** Its response; null if it says that nobody has the number. */
async function askQuestion(
  access: Access,
  ask: typeof fetch,
  question: Question,
  until: AbortSignal,
): Promise<LookupPage | null> {
  const url = safeAddress(access.url);
  const webhook = openWebhook(access.secret);
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const body = JSON.stringify(question);
  const headers = signedHeaders(webhook, id, body);
  const response = await ask(url, { method: 'POST', headers, body, signal: until, redirect: 'manual' });
  const isNobody = response.status === 404 && question.type === 'contact.lookup';
  if (response.status !== 200 && !isNobody) {
    await response.body?.cancel();
    throw new CrmFault(refusalOf(response.status, question.type));
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  verifyResponse(webhook, id, response, bytes);
  return isNobody ? null : pageOf(response, bytes);
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

function pageOf({ headers }: Response, bytes: Uint8Array): LookupPage {
  if (!/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) throw new CrmFault(unexpected);
  const page: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (!isRecord(page) || !Array.isArray(page.contacts) || !page.contacts.every(isRecord))
    throw new CrmFault('Its response has no list of contacts.');
  if (page.contacts.length > contactsAtOnceMax)
    throw new CrmFault(`It answered with more than ${contactsAtOnceMax} contacts at once.`);
  const { contacts, nextCursor = null } = page;
  if (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === ''))
    throw new CrmFault('The nextCursor of its response must be text or null.');
  if (nextCursor !== null && nextCursor.length > cursorCharactersMax)
    throw new CrmFault(`The nextCursor of its response is over ${cursorCharactersMax} characters.`);
  return { contacts, nextCursor };
}

function contactOf(raw: Record<string, unknown>): ContactResult {
  const { remoteContactId, remoteContactUrl, ...fields } = raw;
  return remoteContact({ remoteContactId, remoteContactUrl, fields });
}

function labelOf({ remoteContactId }: Record<string, unknown>, count: number): Label {
  if (typeof remoteContactId !== 'string' || remoteContactId === '') return { what: `contact ${count}` };
  return { what: remoteContactId, locator: remoteContactId };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusalOf(status: number, type: Question['type']): string {
  if (status === 401 || status === 403) return 'It refuses the signature: is the secret the same on both sides?';
  if (type === 'contact.list' && (status === 404 || status === 501)) return 'It answers lookups only.';
  if (status === 429) return 'It is throttling us: it answered 429.';
  if (status >= 500) return `It has an internal error: it answered ${status}.`;
  if (status >= 300 && status < 400)
    return 'It redirects, and redirects are not followed: use the address it redirects to.';
  return `It answered ${status}.`;
}
