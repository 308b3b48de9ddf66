import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import { insertReviews } from '../../store/supervision/reviews.ts';
import { holdText } from '../../store/texting/held-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { insertStatusEvents } from '../../store/texting/text-outcomes.ts';
import type { HeldReason } from '../../store/texting/texts.ts';
import { listWaitingTexts, type WaitingText } from '../../store/texting/waiting-texts.ts';
import { byService } from '../archive/archive.ts';
import type { Verdict } from '../ports.ts';
import { gate } from '../texting/gate.ts';
import { failTexts, releaseTexts } from '../texting/held-texts.ts';
import { knownRecipient, type Recipient } from '../texting/recipients.ts';
import { heldReasonOf } from '../texting/texts.ts';
import { isLapsed } from '../texting/waiting-texts.ts';
import { findingKinds, textRefusal } from './supervision.ts';

type Finding = { text: WaitingText; verdict: Verdict };

/**
 * The person has consented, by whatever way: the texts that waited for it go out in the order in which they came, through the
 * same gate and the firm's lexicon, as if they were sent now. Inside a transaction, with the member locked and the move archived.
 */
export async function sendWaitingTexts(
  deps: Deps,
  advisorId: number,
  { memberId, phone }: { memberId: number; phone: string },
): Promise<void> {
  const waiting = await listWaitingTexts(deps.db, advisorId, memberId);
  if (waiting.length === 0) return;
  const to = knownRecipient((await listRecipients(deps.db, [{ advisorId, phone }]))[0]);
  const inTime = await failLapsed(deps, advisorId, waiting);
  const decision = gate(deps, to, 'text', deps.clock.now());
  if ('refused' in decision) return failTexts(deps, advisorId, idsOf(inTime), decision.refused);
  const judge = (await deps.judges.of(deps.db, [to.firmId])).get(to.firmId);
  const judged = inTime.map((text) => ({ text, verdict: judge?.(asGiven(text)) ?? null }));
  const going: WaitingText[] = [];
  for (const { text, verdict } of judged) {
    const refused = textRefusal(verdict);
    const heldReason = heldReasonOf(to, { kind: 'text', verdict });
    if (refused) await failTexts(deps, advisorId, [text.messageId], refused);
    else if (heldReason) await hold(deps, advisorId, text, heldReason);
    else going.push(text);
  }
  const released = going.map(({ messageId, added }) => ({ messageId, kind: 'text' as const, isFirst: added !== null }));
  await releaseTexts(deps, advisorId, to, released);
  const found = judged.flatMap(({ text, verdict }) => (verdict ? { text, verdict } : []));
  await recordFindings(deps, advisorId, to, found);
}

/** A wait may be over before anybody has noticed. */
async function failLapsed(deps: Deps, advisorId: number, waiting: WaitingText[]): Promise<WaitingText[]> {
  const now = deps.clock.now();
  const lapsed = waiting.filter((text) => isLapsed(text, now));
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
  const reviews = found.map(({ text: { messageId, archiveNumber }, verdict: { action, ...finding } }) => {
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
