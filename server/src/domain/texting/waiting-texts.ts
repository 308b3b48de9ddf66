import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import { insertReviews } from '../../store/supervision/reviews.ts';
import { holdText } from '../../store/texting/held-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { insertStatusEvents } from '../../store/texting/text-outcomes.ts';
import * as store from '../../store/texting/waiting-texts.ts';
import { byService } from '../archive/archive.ts';
import type { ScreeningFinding } from '../ports.ts';
import { waitingMax } from '../shared/text/text-rules.ts';
import { dayMs } from '../shared/time.ts';
import { type DraftResult, findingKinds, textRefusal } from './drafts.ts';
import { gate, type Hours, isProven, type RefusalCode } from './gate.ts';
import { failTexts, releaseTexts } from './held-texts.ts';
import { knownRecipient, type Recipient } from './recipients.ts';
import { type HeldReason, heldReasonOf, type Text } from './texts.ts';

/**
 * A text that waits for the person's consent is a message outside the outbox, like a held one. Any move of their consent to
 * accepted or opted out ends the wait, in the same transaction; otherwise it lapses.
 */

/** How long a text waits, and how long a consent request that went out is not repeated for another text. */
const waitMs = dayMs;

type WaitingText = store.WaitingText;
type Finding = { text: WaitingText; finding: ScreeningFinding };

/** A text that waits, and when the person is asked for consent, unless they were asked before. */
type WaitingDraft = DraftResult & { asks?: Hours };
/** The texts that wait for the person already, and whether they are being asked. */
export type Waits = { texts: number; isAsked: boolean };

/** Whether only consent is missing. Where the table and the archive disagree about it, nobody is texted at all. */
export function mayWait(to: Recipient, refused: RefusalCode): boolean {
  return isProven(to) && (refused === 'not_consented' || refused === 'consent_pending');
}

/**
 * A draft that waits for the person's consent, or why it can't. Like a scheduled text it can only be blocked here: the lexicon on
 * the day it goes decides whether to hold or flag it.
 */
export function waitingDraftFor(
  deps: Pick<Deps, 'carriers' | 'signals' | 'clock'>,
  to: Recipient,
  { finding, ...text }: Text,
  waits: Waits,
): WaitingDraft {
  const now = deps.clock.now();
  const draft = { to, text: { ...text, awaitsConsent: true } as const };
  const refused = textRefusal(finding);
  if (refused && finding) return { refused, blocked: { to, text: { ...draft.text, finding } } };
  if (waits.texts >= waitingMax) return { refused: 'too_many_waiting' };
  if (waits.isAsked || isAsked(to, now)) return { draft };
  const decision = gate(deps, to, 'consent_request', now);
  if ('refused' in decision) return decision;
  return to.consentCollection ? { draft, asks: decision.allowed } : { refused: 'not_consented' };
}

/** Whether a consent request went out so recently that a text waits for its response. */
export function isAsked({ requestedAt }: Pick<Recipient, 'requestedAt'>, now: Date): boolean {
  return requestedAt !== null && requestedAt > waitsSince(now);
}

/** How many texts wait for each of these people, by member id; none for those who aren't in it. */
export async function countWaiting(deps: Deps, people: Recipient[]): Promise<Map<number, number>> {
  const rows = await store.countWaitingTexts(deps.db, people, waitsSince(deps.clock.now()));
  return new Map(rows.map(({ memberId, texts }) => [memberId, texts]));
}

/**
 * The person has consented, however they did: the texts that waited for it go out in the order in which they came, through the
 * same gate and the firm's lexicon, as if they were sent now. Inside a transaction, with the member locked and the move archived.
 */
export async function sendWaitingTexts(
  deps: Deps,
  advisorId: number,
  { memberId, phone }: { memberId: number; phone: string },
): Promise<void> {
  const waiting = await store.listWaitingTexts(deps.db, advisorId, memberId);
  if (waiting.length === 0) return;
  const to = knownRecipient((await listRecipients(deps.db, [{ advisorId, phone }]))[0]);
  const inTime = await failLapsed(deps, advisorId, waiting);
  const decision = gate(deps, to, 'text', deps.clock.now());
  if ('refused' in decision) return failTexts(deps, advisorId, idsOf(inTime), decision.refused);
  const screener = (await deps.screeners.of(deps.db, [to.firmId])).get(to.firmId);
  const screened = inTime.map((text) => ({ text, finding: screener?.(asGiven(text)) ?? null }));
  const going: WaitingText[] = [];
  for (const { text, finding } of screened) {
    const refused = textRefusal(finding);
    const heldReason = heldReasonOf(to, { kind: 'text', finding });
    if (refused) await failTexts(deps, advisorId, [text.messageId], refused);
    else if (heldReason) await hold(deps, advisorId, text, heldReason);
    else going.push(text);
  }
  const kind = 'text' as const;
  const released = going.map(({ messageId, added }) => ({ kind, messageId, isFirst: added !== null }));
  await releaseTexts(deps, advisorId, to, released);
  const found = screened.flatMap(({ text, finding }) => (finding ? { text, finding } : []));
  await recordFindings(deps, advisorId, to, found);
}

/** The person is opted out: none of their texts waits any longer. Inside a transaction, with the member locked. */
export async function failWaitingTexts(deps: Deps, advisorId: number, memberId: number): Promise<void> {
  await store.failWaiting(deps.db, advisorId, memberId, { failureCode: 'opted_out', lapse: lapseAt(deps.clock.now()) });
}

/** Ends the waits that are over. True when there may be more of them. */
export async function lapseWaitingTexts({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<boolean> {
  return (await store.lapseWaiting(db, lapseAt(clock.now()))) > 0;
}

/** A wait may be over before anybody has noticed. */
async function failLapsed(deps: Deps, advisorId: number, waiting: WaitingText[]): Promise<WaitingText[]> {
  const now = deps.clock.now();
  const lapsed = waiting.filter(({ dateTimeCreated }) => dateTimeCreated <= waitsSince(now));
  await failTexts(deps, advisorId, idsOf(lapsed), 'consent_lapsed');
  return waiting.filter((text) => !lapsed.includes(text));
}

async function hold(deps: Deps, advisorId: number, { messageId }: WaitingText, reason: HeldReason): Promise<void> {
  await holdText(deps.db, advisorId, messageId, reason);
  await insertStatusEvents(deps.db, [{ advisorId, messageId }], deps.clock.now());
}

/** The entry of a text that waited is older than what the lexicon found in it, so that has an entry of its own. */
async function recordFindings(deps: Deps, advisorId: number, to: Recipient, found: Finding[]): Promise<void> {
  const { memberId, firmId } = to;
  const now = deps.clock.now();
  const reviews = found.map(({ text: { messageId, archiveNumber }, finding: { action, ...finding } }) => {
    return { advisorId, firmId, kind: findingKinds[action], memberId, messageId, archiveNumber, ...finding };
  });
  const entries = reviews.map(({ kind, messageId, archiveNumber, rules, lexiconVersion }) => {
    const meta = { [kind]: { rules, lexiconVersion }, messageId, archiveNumber };
    return { advisorId, kind: 'review' as const, memberId, meta, body: '', ...byService };
  });
  await insertEntries(deps.db, entries, now);
  await insertReviews(deps.db, reviews, now);
}

function asGiven({ text, added }: WaitingText): string {
  return added ? text.slice(0, -added.length) : text;
}

function idsOf(texts: WaitingText[]): number[] {
  return texts.map(({ messageId }) => messageId);
}

function lapseAt(now: Date): store.Lapse {
  return { acceptedUntil: waitsSince(now), failureCode: 'consent_lapsed', now };
}

/** What was accepted at this time or before has waited long enough. */
function waitsSince(now: Date): Date {
  return new Date(now.getTime() - waitMs);
}
