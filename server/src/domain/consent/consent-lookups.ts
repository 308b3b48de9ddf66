import type { Deps } from '../../deps.ts';
import { type ConsentState, listConsentEntries, listSettledMembers } from '../../store/consent/consents.ts';
import {
  type ContactMember,
  findMember,
  findMemberOfContact,
  listMembersOfContacts,
} from '../../store/members/members.ts';
import { archive, byOperator } from '../archive/archive.ts';
import type { ConsentFacts, Evidence } from '../archive/consent-entries.ts';
import { invalid, problem } from '../problems.ts';
import { endOf } from '../shared/signals.ts';

export type ConsentStatus = { memberId: number; state: ConsentState; lastChanged: Date };
export type ConsentQuery = { phone?: string; memberId?: number; waitSeconds?: number };

export type ConsentEvent = Awaited<ReturnType<typeof listConsentEvents>>[number];
export type ConsentHistory = ConsentStatus & { consentRequests: number; events: ConsentEvent[] };

/** The consent of a contact's number; with waitSeconds, once it is no longer pending or that much time has passed. */
export async function getConsent(
  deps: Deps,
  advisorId: number,
  { waitSeconds = 0, ...query }: ConsentQuery,
): Promise<ConsentStatus> {
  const deadline = Date.now() + waitSeconds * 1000;
  const { consentChanged } = deps.signals;
  const until = endOf(deps.signals);
  let found = await lookUp(deps, advisorId, query);
  while (found.state === 'pending' && Date.now() < deadline && !until.aborted) {
    // It holds no connection while it waits, and looks again only if there is something to see.
    const { memberId } = found;
    if (!(await consentChanged.wait({ advisorId, memberId }, deadline - Date.now(), until))) break;
    found = await lookUp(deps, advisorId, query);
  }
  return found;
}

/** The consent of each number, in order, without duplicates; null for a number that no contact has. */
export async function searchConsents({ db }: Deps, advisorId: number, phones: string[]) {
  const members = await listMembersOfContacts(db, advisorId, [...new Set(phones)]);
  return members.map((member) => ({
    phone: member.phone,
    consent: member.memberId === null ? null : consentOf(member),
  }));
}

/**
 * Wakes those who wait for a member whose consent another node changed: one query, however many are waiting. It also
 * finds a change that came between a request's look and its wait.
 */
export async function wakeWaiting({ db, signals }: Pick<Deps, 'db' | 'signals'>): Promise<void> {
  const { consentChanged } = signals;
  const awaited = consentChanged.awaited();
  if (awaited.length === 0) return;
  for (const member of await listSettledMembers(db, awaited)) consentChanged.raise(member);
}

async function lookUp(
  { db }: Deps,
  advisorId: number,
  { phone, memberId }: Pick<ConsentQuery, 'phone' | 'memberId'>,
): Promise<ConsentStatus> {
  if (phone === undefined && memberId === undefined)
    throw invalid([{ path: '/phone', rule: 'required', message: 'phone or memberId is required.' }]);
  const byPhone = phone === undefined ? undefined : await findMemberOfContact(db, advisorId, { phone });
  const byId = memberId === undefined ? undefined : await findMemberOfContact(db, advisorId, { memberId });
  if (byPhone !== undefined && byId !== undefined && byPhone?.memberId !== byId?.memberId)
    throw invalid([
      { path: '/memberId', rule: 'agree', message: 'memberId and phone don’t belong together: send one of them.' },
    ]);
  const member = byPhone ?? byId;
  if (!member) throw phone === undefined ? noMember() : noOwner();
  return consentOf(member);
}

/** As the gate has it: where the table says something else, the entry counts. */
function consentOf({ memberId, provenState, lastChanged }: Omit<ContactMember, 'phone'>): ConsentStatus {
  return { memberId, state: provenState ?? 'opted_out', lastChanged };
}

function noOwner() {
  return problem(
    'not_found',
    'No contact owns that phone number on the advisor’s account. A send or a consent request to it creates one.',
  );
}

function noMember() {
  return problem('not_found', 'No contact on the advisor’s account belongs to that memberId.');
}

/** Everything that happened to a number's consent, oldest first; null if the advisor doesn't know the number. */
export async function listConsentHistory(deps: Deps, advisorId: number, phone: string): Promise<ConsentHistory | null> {
  const member = await findMember(deps.db, advisorId, phone);
  if (!member) return null;
  const { memberId, state, lastChanged, consentRequests } = member;
  return { memberId, state, lastChanged, consentRequests, events: await listConsentEvents(deps, advisorId, memberId) };
}

/** The same for an operator, with what the person wrote: that is an entry. */
export async function readConsentHistory(deps: Deps, advisorId: number, phone: string): Promise<ConsentHistory | null> {
  const history = await listConsentHistory(deps, advisorId, phone);
  if (!history) return null;
  const { memberId } = history;
  const read = { advisorId, kind: 'text_read', memberId, meta: { what: 'consent read' }, body: '{}' } as const;
  await archive(deps, byOperator, read);
  return history;
}

/** A number's history; the evidence is null once its retention has ended. */
export async function listConsentEvents(deps: Deps, advisorId: number, memberId: number) {
  const entries = await listConsentEntries(deps.db, advisorId, memberId);
  return entries.map(({ number, dateTimeCreated, actor, meta, body }) => {
    const evidence: Evidence | null = body === null ? null : JSON.parse(body);
    const { from, to, reason, channel }: ConsentFacts = JSON.parse(meta);
    return { number, dateTime: dateTimeCreated, from, to, reason, channel, actor, evidence };
  });
}
