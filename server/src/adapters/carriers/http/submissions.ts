import type { OutgoingText, Submission } from '../../../domain/ports.ts';
import type { Counts } from '../shared/counts.ts';
import type { Lanes } from '../shared/lanes.ts';
import type { Pace } from '../shared/pace.ts';
import type { Connection } from './connection.ts';
import { type Answer, type Ask, NotBegun, NotSent, type Question } from './requests.ts';
import type { Verdict } from './verdicts.ts';

export type Submitting = {
  ask: Ask;
  lanes: Pick<Lanes<Connection>, 'enter'>;
  pace: Pace;
  counts: Counts;
  times: { beginMs: number; responseMs: number };
  question(text: OutgoingText): Question;
  verdict(answer: Answer): Verdict;
};

/**
 * Hands over a text with one request. It is never repeated here: only an answer that settles what became of the text is
 * returned, and anything else throws.
 */
export function makeSubmit(submitting: Submitting): (text: OutgoingText) => Promise<Submission> {
  const { lanes, times, question } = submitting;
  return async (text) => {
    const beginBy = Math.min(text.beginBy ?? Number.POSITIVE_INFINITY, performance.now() + times.beginMs);
    const connection = await lanes.enter(beginBy);
    if (typeof connection === 'string') return { notTaken: connection, unavailable: true };
    const leave = leaveOnce(connection, times.responseMs);
    try {
      return await submitOn(submitting, connection, { ...question(text), beginBy: text.beginBy });
    } finally {
      leave();
    }
  };
}

/** A late answer is still waited for, but other texts don't wait with it. */
function leaveOnce(connection: Connection, afterMs: number): () => void {
  let left = false;
  const leave = () => {
    clearTimeout(timer);
    if (!left) connection.left();
    left = true;
  };
  const timer = setTimeout(leave, afterMs);
  return leave;
}

async function submitOn(submitting: Submitting, connection: Connection, question: Question): Promise<Submission> {
  const { ask, verdict } = submitting;
  let answer: Answer;
  try {
    answer = await ask(question);
  } catch (error) {
    if (error instanceof NotBegun) return { notTaken: 'not_begun', unavailable: true };
    connection.failed((error as Error).message);
    if (error instanceof NotSent) return { notTaken: 'not_connected', unavailable: true };
    throw error;
  }
  const said = verdict(answer);
  if (!said) {
    connection.failed(`it answers with ${answer.status}, which settles nothing`);
    throw new Error(`The answer ${answer.status} says nothing about the text.`);
  }
  return settle(submitting, connection, said, answer.retryAfterMs);
}

function settle(
  { pace, counts }: Submitting,
  connection: Connection,
  said: NonNullable<Verdict>,
  retryAfterMs: number | null,
): Submission {
  if ('accepted' in said) {
    connection.answered(null);
    pace.accepted();
    return said;
  }
  const { code, meaning } = said;
  connection.answered(meaning === 'account' ? code : null);
  if (meaning === 'throttled') {
    counts.throttled += 1;
    if (pace.throttled(retryAfterMs ?? 0)) connection.throttled(pace.perSecond() ?? 0);
  }
  // A queue that is full, our pace, or the account: none of these is about this text.
  if (meaning === 'throttled' || meaning === 'account' || meaning === 'notTaken')
    return { notTaken: code, unavailable: true };
  return { refused: meaning, code };
}
