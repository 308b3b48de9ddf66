import type { Deps } from '../../deps.ts';
import { insertEntries, lockHeads } from '../../store/archive/archive.ts';
import { insertReviews, type NewReview } from '../../store/supervision/reviews.ts';
import { acceptTexts, compose, type Draft, type Text, type Verdict } from '../texting/texts.ts';

/** A draft in which the firm's lexicon found something. */
export type Judged = Draft & { text: Text & { verdict: Verdict } };

const kinds = { flag: 'flagged', hold: 'held', block: 'blocked' } as const;

/**
 * Takes drafts on, inside a transaction, and puts before the firm what its lexicon found in them: what is flagged goes out,
 * what is held waits for a reviewer, what is blocked is only written down. Returns the ids of all but the blocked, in order.
 * Where nothing was found, which is nearly always, this costs no statement. `others` are the advisors whose archives get
 * more entries in the same transaction.
 */
export async function takeSupervised(
  deps: Deps,
  drafts: Draft[],
  { blocked, others }: { blocked: Judged[]; others: number[] },
): Promise<number[]> {
  const texts = await compose(deps, drafts);
  // Then several statements add to the archives, and those may be of different advisors.
  if (blocked.length > 0 || others.length > 0)
    await lockHeads(deps.db, [...[...drafts, ...blocked].map(({ text }) => text.advisorId), ...others]);
  const messageIds = await acceptTexts(deps, texts);
  const found = drafts.flatMap((draft, index) =>
    isJudged(draft) ? reviewOf(draft, { messageId: messageIds[index] ?? null, archiveNumber: null }) : [],
  );
  const refused = await archiveBlocked(deps, blocked);
  await insertReviews(deps.db, [...found, ...refused], deps.clock.now());
  return messageIds;
}

function isJudged(draft: Draft): draft is Judged {
  return Boolean(draft.text.verdict);
}

/** The text is in the archive although nobody got it: an attempt is something that a firm must know of. */
async function archiveBlocked(deps: Deps, blocked: Judged[]): Promise<NewReview[]> {
  const entries = blocked.map(({ to, text: { advisorId, text, by, verdict, scheduledMessageId } }) => {
    const { rules, lexiconVersion } = verdict;
    const about = { from: to.textingNumber, to: to.phone, ...(scheduledMessageId ? { scheduledMessageId } : {}) };
    const meta = { blocked: { rules, lexiconVersion }, ...about };
    return { advisorId, kind: 'review' as const, memberId: to.memberId, meta, body: text, ...by };
  });
  const numbers = await insertEntries(deps.db, entries, deps.clock.now());
  return blocked.map((draft, index) => reviewOf(draft, { messageId: null, archiveNumber: numbers[index] ?? null }));
}

function reviewOf({ to, text }: Judged, of: Pick<NewReview, 'messageId' | 'archiveNumber'>): NewReview {
  const { action, rules, lexiconVersion } = text.verdict;
  const { firmId, memberId } = to;
  return { advisorId: text.advisorId, firmId, kind: kinds[action], memberId, ...of, rules, lexiconVersion };
}
