import { createHash } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { DueBroadcast } from '../../store/broadcasts/broadcasts.ts';
import * as store from '../../store/broadcasts/people.ts';
import { findTextedGroup, type NewRecipient, type WaitingRecipient } from '../../store/broadcasts/recipients.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { drawMessageIds } from '../../store/texting/texts.ts';
import { filterOf, type ListFilter } from '../address-book/listed-contacts.ts';
import type { By } from '../archive/archive.ts';
import { ask, collectionProblem } from '../consent/consent-requests.ts';
import { problem } from '../problems.ts';
import { inTurns } from '../shared/turns.ts';
import { type GateCode, gate, type Hours } from '../texting/gate.ts';
import { ensureMembers, expectRecipients, knownRecipient, type Recipient } from '../texting/recipients.ts';
import { textingProblem } from '../texting/texts.ts';
import { isAsked } from '../texting/waiting-texts.ts';
import { listRenderedWordings, type Wording } from '../texting/wordings.ts';
import { beginBroadcast } from './broadcasts.ts';
import { peopleMax } from './people.ts';

/** Many people are asked for their consent by the job that texts groups: whom it would ask, and each batch of it. */

/** Those whom the app lists, or of them those who were selected. */
type ContactChoice = ListFilter & { contactIds?: number[] };

/** Why somebody isn't asked. */
type LeftOutCode =
  | 'accepted'
  | 'asked_lately'
  | 'being_asked'
  | 'no_phone'
  | 'same_number'
  | 'no_texting_number'
  | 'no_collection'
  | GateCode;

type RequestPlan = {
  people: number;
  asked: NewRecipient[];
  /** When it is day where somebody is who is asked later. */
  mornings: Date[];
  /** How many of those who are asked were asked before and didn't answer. */
  again: number;
  leftOut: Map<LeftOutCode, number>;
  wording: Wording;
  version: string;
};

/** How many are decided about before others have their turn. */
const atOnce = 100;

/** Whom a request would ask, when, and in which words, with nothing done. */
export async function checkRequests(deps: Deps, advisorId: number, whom: ContactChoice) {
  const { people, asked, mornings, again, leftOut, wording, version } = await findPeople(deps, advisorId, whom);
  return {
    people,
    asked: asked.length,
    again,
    /** How many of those are asked once it is day where they are, and when the first of them are. */
    later: mornings.length,
    earliest: mornings.reduce<Date | null>((one, other) => (one && one < other ? one : other), null),
    leftOut: [...leftOut].map(([code, people]) => ({ code, people })),
    text: wording.text,
    /** What starting it must repeat, so that nobody is asked who wasn't counted, and in no other words. */
    version,
  };
}

/** From then on it is the server's, as a text to a group is: `sendBroadcasts` asks them, whatever becomes of the browser. */
export async function startRequests(
  deps: Deps,
  advisorId: number,
  { whom, version }: { whom: ContactChoice; version: string },
  by: By,
): Promise<number> {
  const { asked, wording, ...found } = await findPeople(deps, advisorId, whom);
  if (found.version !== version)
    throw problem('conflict', 'Whom this asks has changed since you looked. Look at it again, and ask.');
  if (asked.length === 0) throw problem('conflict', 'Nobody of them can be asked.');
  const { groupId = null } = whom;
  return inTransaction(deps, async (deps) => {
    const group = groupId === null ? null : await findTextedGroup(deps.db, advisorId, groupId, 0);
    const started = { groupId, groupName: group?.name ?? null, text: wording.text, wordingVersion: wording.version };
    return beginBroadcast(
      deps,
      advisorId,
      { ...started, people: asked.length, refused: 0 },
      inTurns(deps.turn, asked, atOnce),
      by,
    );
  });
}

async function findPeople(
  deps: Deps,
  advisorId: number,
  { contactIds, ...listed }: ContactChoice,
): Promise<RequestPlan> {
  const { db } = deps;
  const filter = { ...(await filterOf(deps, advisorId, listed)), ...(contactIds && { only: contactIds }) };
  const people = await store.listPeople(db, advisorId, filter, peopleMax + 1);
  if (people.length > peopleMax)
    throw problem('conflict', `These are more than ${peopleMax.toLocaleString('en-US')} people. Ask fewer at a time.`);
  const wording = await consentWording(deps, advisorId);
  const waiting = new Set(await store.listPhonesToAsk(db, advisorId));
  const asked: NewRecipient[] = [];
  const mornings: Date[] = [];
  const leftOut: RequestPlan['leftOut'] = new Map();
  let again = 0;
  const phones = new Set<string>();
  for await (const some of inTurns(deps.turn, people, atOnce)) {
    const numbers = some.flatMap(({ phone }) => (phone ? { advisorId, phone } : []));
    const expected = (await expectRecipients(deps, numbers)).map(({ to }) => to);
    const cannotAsk = textingProblem(expected) ?? collectionProblem(expected);
    if (cannotAsk) throw cannotAsk;
    const recipients = new Map(expected.map((to) => [to.phone, to]));
    const now = deps.clock.now();
    for (const { contactId, name, phone } of some) {
      const to = recipients.get(phone ?? '');
      const decision: Decision = to ? decide(deps, to, now, { waiting, phones }) : { refused: 'no_phone' };
      if ('refused' in decision) leftOut.set(decision.refused, (leftOut.get(decision.refused) ?? 0) + 1);
      else if (to) {
        phones.add(to.phone);
        asked.push({ place: phones.size, contactId, name, phone, text: wording.text, code: null });
        if (decision.allowed.deferredUntil) mornings.push(decision.allowed.deferredUntil);
        if (to.state === 'pending') again += 1;
      }
    }
  }
  const version = createHash('sha256').update(JSON.stringify([wording, [...phones]]));
  return { people: people.length, asked, mornings, again, leftOut, wording, version: version.digest('base64url') };
}

async function consentWording(deps: Deps, advisorId: number): Promise<Wording> {
  const wording = (await listRenderedWordings(deps, advisorId)).find(({ kind }) => kind === 'consent_request');
  if (!wording) throw new Error('There is no wording of a consent request.');
  return { version: wording.version, text: wording.text };
}

type Decision = { allowed: Hours } | { refused: LeftOutCode };

function decide(
  deps: Deps,
  to: Recipient,
  now: Date,
  { waiting, phones }: { waiting: Set<string>; phones: Set<string> },
): Decision {
  if (phones.has(to.phone)) return { refused: 'same_number' };
  const decision = decideNow(deps, to, now);
  return 'allowed' in decision && waiting.has(to.phone) ? { refused: 'being_asked' } : decision;
}

/** Nobody is asked twice in a day by such a job: somebody may be in two of them, and a partner may ask too. */
function decideNow(deps: Deps, to: Recipient, now: Date, hasWaited = false): Decision {
  if (to.state === 'accepted') return { refused: 'accepted' };
  if (to.state !== 'opted_out' && isAsked(to, now)) return { refused: 'asked_lately' };
  return gate(deps, to, 'consent_request', now, { hasWaited });
}

/** What became of one person's turn in a batch. */
export type TurnOutcome = { messageId: number } | { later: Date } | { refused: string };

type Batch = { broadcast: DueBroadcast; waiting: WaitingRecipient[]; now: Date };

/** Asks those of a batch who may be asked now, by the rules of any consent request, in the wording that was shown. */
export async function askBatch(deps: Deps, { broadcast, waiting, now }: Batch): Promise<TurnOutcome[]> {
  const { advisorId, broadcastId, text, wordingVersion, actor, traceId } = broadcast;
  const numbers = waiting.map(({ phone }) => ({ advisorId, phone }));
  const [account] = await listRecipients(deps.db, numbers.slice(0, 1));
  const cannotAsk = account && accountRefusal(account);
  if (cannotAsk) return waiting.map(() => ({ refused: cannotAsk }));
  await ensureMembers(deps, numbers);
  const recipients = (await listRecipients(deps.db, numbers)).map(knownRecipient);
  const decisions = recipients.map((to, index) => {
    const decision = decideNow(deps, to, now, waiting[index]?.notBefore != null);
    if ('refused' in decision) return decision;
    const hours = decision.allowed;
    return hours.deferredUntil && hours.deferredUntil > now ? { later: hours.deferredUntil } : { asked: { to, hours } };
  });
  const asked = decisions.flatMap((decision) => ('asked' in decision ? (decision.asked ?? []) : []));
  const messageIds = await drawMessageIds(deps.db, asked.length);
  const wording = { text, version: wordingVersion ?? 0 };
  await ask(deps, { advisorId, by: { actor, traceId }, now }, asked, { broadcastId, wording, messageIds });
  const given = messageIds.values();
  return decisions.map((decision) => ('asked' in decision ? { messageId: given.next().value as number } : decision));
}

function accountRefusal(account: Pick<Recipient, 'disabled' | 'textingNumber' | 'consentCollection'>) {
  if (account.disabled) return 'account_disabled';
  if (!account.textingNumber) return 'no_texting_number';
  return account.consentCollection ? null : 'no_collection';
}
