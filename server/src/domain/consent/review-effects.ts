import type { Deps } from '../../deps.ts';
import { findMember } from '../../store/members/members.ts';
import { isLatestReview } from '../../store/supervision/reviews.ts';
import { listHeldTexts } from '../../store/texting/held-texts.ts';
import type { TakeTurn } from '../shared/turns.ts';
import { type Mark, wordsIn } from '../supervision/findings.ts';
import { marksOf } from '../supervision/review-queue.ts';
import type { Review } from '../supervision/reviews.ts';
import { confirmationMs } from './answers.ts';
import { type ReplyMeaning, readReply } from './reading/reply-words.ts';

/** What a decision about a possible opt-out would do now. */
type OptOutEffect = {
  heldTexts: number;
  /** As of when they would be opted out; null if there is nothing left to decide. */
  since: Date | null;
  /** Whether they would still get the confirmation. */
  isConfirmed: boolean;
};

const readingsMax = 40;
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
  return meanings ? markStop(deps.turn, text, meanings) : marksOf(deps, review, text);
}

/**
 * The words that read as a stop by themselves: the first clause that does, without words at its ends that it can do without. To read a
 * reply takes milliseconds, so it is read only so often, each time in its turn.
 */
async function markStop(turn: TakeTurn, text: string, meanings: readonly ReplyMeaning[]): Promise<Mark[]> {
  let readings = 0;
  async function isStop(start: number, end: number): Promise<boolean> {
    if (++readings > readingsMax) return false;
    await turn();
    return meanings.includes(readReply(text.slice(start, end)));
  }
  const clauses = [...text.matchAll(/[^.,;:!?\n]+[.,;:!?]*/g)].map((match) => wordsIn(match[0], match.index));
  let words: ReturnType<typeof wordsIn> | undefined;
  for (const clause of clauses) if (!words && clause.length > 0 && (await isStop(...endsOf(clause)))) words = clause;
  words ??= wordsIn(text);
  let [first, last] = [0, words.length - 1];
  while (first < last && (await isStop(...endsOf(words.slice(first + 1, last + 1))))) first += 1;
  while (first < last && (await isStop(...endsOf(words.slice(first, last))))) last -= 1;
  const [start, end] = endsOf(words.slice(first, last + 1));
  return start < end ? [{ start, end, rule: null }] : [];
}

function endsOf(words: { start: number; end: number }[]): [number, number] {
  return [words[0]?.start ?? 0, words.at(-1)?.end ?? 0];
}
