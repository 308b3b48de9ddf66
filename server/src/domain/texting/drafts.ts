import type { Deps } from '../../deps.ts';
import { insertNumberedEntries, lockHeads } from '../../store/archive/archive.ts';
import { insertReviews, type NewReview } from '../../store/supervision/reviews.ts';
import type { NewText } from '../../store/texting/texts.ts';
import type { ScreeningFinding } from '../ports.ts';
import { requireRightTime } from '../shared/database-clock.ts';
import { type GateCode, gate, type RefusalCode, type TextFacts } from './gate.ts';
import { confirmHolds } from './held-texts.ts';
import { wantLookups } from './number-lookups.ts';
import type { Recipient } from './recipients.ts';
import { acceptTexts, compose, type Draft, type Text } from './texts.ts';

/** A draft in which the firm's lexicon found something. */
export type FlaggedDraft = Draft & { text: Text & { finding: ScreeningFinding } };

export type DraftResult = { draft: Draft } | { refused: GateCode; blocked?: FlaggedDraft };

export type Wait = { awaitsConsent: boolean; held: boolean; deferredUntil: Date | null };

/** A message in the outbox, and why it doesn't go out at once, if so. */
export type AcceptedText = Wait & { messageId: number };

export const findingKinds = { flag: 'flagged', hold: 'held', block: 'blocked' } as const;

/** A draft if the gate and the firm's lexicon let the text through at that moment; otherwise why not. */
export function draftFor(
  deps: Pick<Deps, 'carriers' | 'signals'>,
  to: Recipient,
  text: Text,
  at: Date,
  facts: TextFacts = {},
): DraftResult {
  const decision = gate(deps, to, text.kind, at, facts);
  if ('refused' in decision) return decision;
  const draft = { to, text: { ...text, hours: decision.allowed } };
  const refused = textRefusal(text.finding);
  return refused && isFlagged(draft) ? { refused, blocked: draft } : { draft };
}

export function textRefusal(finding: ScreeningFinding | null | undefined): RefusalCode | null {
  return finding?.action === 'block' ? 'text_blocked' : null;
}

/**
 * Accepts drafts, inside a transaction, and shows the firm what its lexicon found in them: flagged texts go out, held texts wait
 * for a reviewer, and blocked texts are only recorded. Returns the messages made of `drafts`, in order, with the first of
 * `messageIds`. Nearly always the lexicon finds nothing, and then this costs no statement. `others` are the advisors whose
 * archives get more entries in the same transaction.
 */
export async function acceptDrafts(
  deps: Deps,
  drafts: Draft[],
  { messageIds, blocked, others }: { messageIds: number[]; blocked: FlaggedDraft[]; others: number[] },
): Promise<AcceptedText[]> {
  requireRightTime(deps);
  const texts = await compose(deps, await confirmHolds(deps, drafts));
  // Several statements add to the archives then, maybe for different advisors: locking all of them first avoids deadlocks.
  if (blocked.length > 0 || others.length > 0)
    await lockHeads(deps.db, [...[...drafts, ...blocked].map(({ text }) => text.advisorId), ...others]);
  await acceptTexts(deps, texts, messageIds);
  await wantLookups(
    deps,
    drafts.map(({ to }) => to),
  );
  const found = drafts.flatMap((draft, index) =>
    isFlagged(draft) ? reviewOf(draft, { messageId: messageIds[index] ?? null, archiveNumber: null }) : [],
  );
  const refused = await archiveBlocked(deps, blocked);
  await insertReviews(deps.db, [...found, ...refused], deps.clock.now());
  return texts.map((text, index) => ({ messageId: messageIds[index] as number, ...waitOf(text) }));
}

/** Why a text that is accepted like this doesn't go out at once, if so. */
export function waitOf({ awaitsConsent, heldReason, deferredUntil }: NewText): Wait {
  return { awaitsConsent: awaitsConsent === true, held: heldReason !== undefined, deferredUntil };
}

function isFlagged(draft: Draft): draft is FlaggedDraft {
  return Boolean(draft.text.finding);
}

/** Nobody got the text, but it is in the archive: a firm must know about the attempt. */
async function archiveBlocked(deps: Deps, blocked: FlaggedDraft[]): Promise<NewReview[]> {
  const entries = blocked.map(({ to, text: { advisorId, text, by, finding, scheduledMessageId, broadcastId } }) => {
    const { rules, lexiconVersion } = finding;
    const of = { ...(scheduledMessageId ? { scheduledMessageId } : {}), ...(broadcastId ? { broadcastId } : {}) };
    const about = { from: to.textingNumber, to: to.phone, ...of };
    const meta = { blocked: { rules, lexiconVersion }, ...about };
    return { advisorId, kind: 'review' as const, memberId: to.memberId, meta, body: text, ...by };
  });
  const numbers = await insertNumberedEntries(deps.db, entries, deps.clock.now());
  return blocked.map((draft, index) => reviewOf(draft, { messageId: null, archiveNumber: numbers[index] ?? null }));
}

function reviewOf({ to, text }: FlaggedDraft, of: Pick<NewReview, 'messageId' | 'archiveNumber'>): NewReview {
  const { action, rules, lexiconVersion } = text.finding;
  const { firmId, memberId } = to;
  return { advisorId: text.advisorId, firmId, kind: findingKinds[action], memberId, ...of, rules, lexiconVersion };
}
