import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { type ConsentState, listConsentEntries } from '../../store/consent/consents.ts';
import { findMember, findMemberOfContact } from '../../store/texting/members.ts';
import { invalid, problem } from '../problems.ts';
import type { Channel, ConsentStatus, Evidence, Reason } from './consents.ts';

export type ConsentQuery = { phone?: string; memberId?: number; waitSeconds?: number };

/** One entry of a number's history; its evidence is null once its retention has ended. */
export type ConsentEvent = {
  number: number;
  dateTime: Date;
  from: ConsentState;
  to: ConsentState;
  reason: Reason;
  channel: Channel;
  actor: string;
  evidence: Evidence | null;
};

export type ConsentHistory = ConsentStatus & { consentRequests: number; events: ConsentEvent[] };

const pollMs = 500;
/** A waiting request looks no more often than this, however many consents change on this node. */
const lookPauseMs = 50;

/** The consent of a contact's number; with waitSeconds, once it has changed or that much time has passed. */
export async function getConsent(
  deps: Deps,
  advisorId: number,
  { waitSeconds = 0, ...query }: ConsentQuery,
): Promise<ConsentStatus> {
  const deadline = Date.now() + waitSeconds * 1000;
  const { consentChanged, stopping } = deps.signals;
  const first = await lookUp(deps, advisorId, query);
  let found = first;
  while (found.state === first.state && Date.now() < deadline && !stopping.signal.aborted) {
    const leftMs = deadline - Date.now();
    // It holds no connection while it waits. The signal reports changes on this node; the poll finds those on others.
    await Promise.all([
      consentChanged.wait(Math.min(pollMs, leftMs), stopping.signal),
      pause(Math.min(lookPauseMs, leftMs)),
    ]);
    found = await lookUp(deps, advisorId, query);
  }
  return found;
}

async function lookUp(
  { db }: Deps,
  advisorId: number,
  { phone, memberId }: Pick<ConsentQuery, 'phone' | 'memberId'>,
): Promise<ConsentStatus> {
  if (phone === undefined && memberId === undefined)
    throw invalid([{ path: '/phone', rule: 'required', message: 'phone is required, or memberId.' }]);
  const byPhone = phone === undefined ? undefined : await findMemberOfContact(db, advisorId, { phone });
  const byId = memberId === undefined ? undefined : await findMemberOfContact(db, advisorId, { memberId });
  if (byPhone !== undefined && byId !== undefined && byPhone?.memberId !== byId?.memberId)
    throw invalid([{ path: '/memberId', rule: 'agree', message: 'memberId is not the member that has this phone.' }]);
  const member = byPhone ?? byId;
  if (!member) throw problem('not_found', 'No contact owns that phone number on the advisor’s account.');
  return { memberId: member.memberId, state: member.state, lastChanged: member.lastChanged };
}

/** Everything that happened to a number's consent, oldest first; null if the advisor doesn't know the number. */
export async function listConsentHistory(deps: Deps, advisorId: number, phone: string): Promise<ConsentHistory | null> {
  const member = await findMember(deps.db, advisorId, phone);
  if (!member) return null;
  const { memberId, state, lastChanged, consentRequests } = member;
  return { memberId, state, lastChanged, consentRequests, events: await listConsentEvents(deps, advisorId, memberId) };
}

export async function listConsentEvents(deps: Deps, advisorId: number, memberId: number): Promise<ConsentEvent[]> {
  const entries = await listConsentEntries(deps.db, advisorId, memberId);
  return entries.map(({ number, dateTimeCreated, actor, meta, body }) => {
    const evidence: Evidence | null = body === null ? null : JSON.parse(body);
    return { number, dateTime: dateTimeCreated, ...JSON.parse(meta), actor, evidence };
  });
}
