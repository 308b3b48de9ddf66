import type { Deps } from '../../deps.ts';
import { findMember } from '../../store/members/members.ts';
import { isLatestReview } from '../../store/supervision/reviews.ts';
import { listHeldTexts } from '../../store/texting/held-texts.ts';
import { type Mark, wordsIn } from '../supervision/findings.ts';
import { marksOf } from '../supervision/review-queue.ts';
import type { Review } from '../supervision/reviews.ts';
import { confirmationMs } from './answers.ts';
import { type ReplyMeaning, readReply } from './reading/reply-words.ts';

/** What a decision about a possible opt-out would do now. */
export type OptOutEffect = {
  heldTexts: number;
  /** As of when they would be opted out; null if there is nothing left to decide. */
  since: Date | null;
  /** Whether they would still get the confirmation. */
  isConfirmed: boolean;
};

const wordsMax = 60;
const phraseWordsMax = 8;
const stops: Partial<Record<Review['kind'], readonly ReplyMeaning[]>> = {
  possible_opt_out: ['possible_opt_out'],
  opt_out_wording: ['opt_out_wording', 'opt_out'],
};

export async function findEffect(deps: Deps, review: Review): Promise<OptOutEffect | null> {
  const { kind, advisorId, memberId, phone, dateTimeCreated } = review;
  if (kind !== 'possible_opt_out' || memberId === null) return null;
  const member = await findMember(deps.db, advisorId, phone);
  const since = member?.heldSince && (await isLatestReview(deps.db, review)) ? member.heldSince : null;
  const heldTexts = since ? (await listHeldTexts(deps.db, advisorId, memberId)).length : 0;
  return { heldTexts, since, isConfirmed: dateTimeCreated.getTime() + confirmationMs > deps.clock.now().getTime() };
}

/** What in the text made it a review: what the lexicon found, or the words that may mean stop. */
export async function markReview(deps: Deps, review: Review, text: string): Promise<Mark[]> {
  const meanings = stops[review.kind];
  return meanings ? markStop(text, meanings) : marksOf(deps, review, text);
}

/** The shortest run of words that reads as a stop by itself; all of a text that only does as a whole. */
function markStop(text: string, meanings: readonly ReplyMeaning[]): Mark[] {
  const words = wordsIn(text).slice(0, wordsMax);
  for (let length = 1; length <= phraseWordsMax; length++)
    for (let first = 0; first + length <= words.length; first++) {
      const [start, end] = [words[first]?.start ?? 0, words[first + length - 1]?.end ?? 0];
      if (meanings.includes(readReply(text.slice(start, end)))) return [{ start, end, rule: null }];
    }
  return text === '' ? [] : [{ start: 0, end: text.length, rule: null }];
}
