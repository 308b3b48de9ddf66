import type { Deps } from '../../deps.ts';
import { lockHeldMembers } from '../../store/members/members.ts';
import { failHeld, type HeldText, type Release, releaseHeld } from '../../store/texting/held-texts.ts';
import { insertStatusEvents } from '../../store/texting/text-outcomes.ts';
import { updateFirstTexted } from '../../store/texting/texts.ts';
import { problem } from '../problems.ts';
import { failure } from './failures.ts';
import { type GateCode, gate } from './gate.ts';
import { endOfLife } from './lifetimes.ts';
import type { Recipient } from './recipients.ts';
import type { Draft } from './texts.ts';

/** What happened to a held text: it goes out, or why it can't. */
type ReleasedText = HeldText & { outcome: 'queued' | GateCode };

/**
 * Puts a person's held texts into the outbox, in order, as if they were sent now; those that the gate refuses fail. Inside a
 * transaction, with the member locked.
 */
export async function releaseTexts(
  deps: Deps,
  advisorId: number,
  to: Recipient,
  texts: HeldText[],
): Promise<ReleasedText[]> {
  const now = deps.clock.now();
  const releases: Release[] = [];
  const decided = texts.map<ReleasedText>((text) => {
    const decision = gate(deps, to, text.kind, now);
    if ('refused' in decision) return { ...text, outcome: decision.refused };
    const expiresAt = endOfLife(deps, decision.allowed.deferredUntil ?? now);
    releases.push({ messageId: text.messageId, pace: to.textingPace, ...decision.allowed, expiresAt });
    return { ...text, outcome: 'queued' };
  });
  const queued = decided.filter(({ outcome }) => outcome === 'queued');
  // A text with the line that names the firm and how to stop now counts as the person's first.
  if (queued.some(({ isFirst }) => isFirst))
    await updateFirstTexted(deps.db, [{ advisorId, memberId: to.memberId }], now);
  if ((await releaseHeld(deps.db, advisorId, releases, deps.databaseClock.now())) < releases.length) throw notHeld();
  await insertStatusEvents(
    deps.db,
    releases.map(({ messageId }) => ({ advisorId, messageId })),
    now,
  );
  for (const { messageId, outcome } of decided)
    if (outcome !== 'queued') await failTexts(deps, advisorId, [messageId], outcome);
  if (queued.length > 0) deps.db.afterCommit(() => deps.signals.queued.raise());
  return decided;
}

export async function failTexts(
  deps: Deps,
  advisorId: number,
  messageIds: number[],
  code: GateCode | 'consent_lapsed',
): Promise<void> {
  const failure = { failureCode: code, now: deps.clock.now() };
  if ((await failHeld(deps.db, advisorId, messageIds, failure)) < messageIds.length) throw notHeld();
}

/** Refuses a reviewer's release that would fail texts that could go out later; they stay held. */
export function requireReleasable(deps: Deps, to: Recipient, texts: HeldText[]): void {
  if (to.disabled || !to.textingNumber)
    throw problem('conflict', 'The advisor’s account is disabled or has no texting number; the text is still held.');
  for (const text of texts) {
    const decision = gate(deps, to, text.kind, deps.clock.now());
    if (!('refused' in decision)) continue;
    const { message, retryable } = failure(to.phone, to.memberId, decision.refused, to);
    if (retryable) throw problem('conflict', `The text can’t go out now, and is still held. ${message}`);
  }
}

/**
 * Drafts as of now, inside a transaction, for people whose texts are held: the hold is read again with the member locked.
 * Otherwise a text could be held for a reply that was settled a moment ago, and nobody would release it.
 */
export async function confirmHolds(deps: Deps, drafts: Draft[]): Promise<Draft[]> {
  const held = drafts.filter(({ to }) => to.heldSince);
  if (held.length === 0) return drafts;
  const members = held.map(({ to, text }) => ({ advisorId: text.advisorId, memberId: to.memberId }));
  const stillHeld = new Set(await lockHeldMembers(deps.db, members));
  return drafts.map((draft) =>
    draft.to.heldSince && !stillHeld.has(draft.to.memberId)
      ? { ...draft, to: { ...draft.to, heldSince: null } }
      : draft,
  );
}

function notHeld() {
  return problem('conflict', 'The text is no longer held.');
}
