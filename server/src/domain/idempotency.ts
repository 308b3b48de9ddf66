import type { Deps } from '../deps.ts';
import type { AnswerKey } from '../store/idempotency.ts';
import * as store from '../store/idempotency.ts';
import { inBatches } from './batches.ts';
import { invalid, Problem } from './problems.ts';

export type Answer = { status: number; body: string };
export type Answered = Answer & { replayed: boolean };

/** What the request does, in the transaction it is given, and how a problem that it throws is answered. */
export type Work = { run(deps: Deps): Promise<Answer>; refuse(problem: Problem): Answer };

const keptMs = 24 * 60 * 60 * 1000;

/**
 * At most once for one Idempotency-Key. The answer is committed in the same transaction as what the request does, so a
 * crash keeps both or neither. A twin in flight waits and shares the answer: on this node by its promise, so that a
 * hundred twins hold no hundred connections; on another node by the lock on the key's row.
 */
export function idempotency(deps: Deps) {
  const inFlight = new Map<string, { fingerprint: Buffer; answer: Promise<Answered> }>();

  async function answerOnce(key: AnswerKey, fingerprint: Buffer, work: Work): Promise<Answered> {
    const id = JSON.stringify(key);
    const twin = inFlight.get(id);
    if (twin) {
      if (!twin.fingerprint.equals(fingerprint)) throw otherBody();
      // Its fault is shared too: if each twin tried for itself, the last would wait for as many timeouts as there are twins.
      return { ...(await twin.answer), replayed: true };
    }
    const answer = perform(key, fingerprint, work);
    inFlight.set(id, { fingerprint, answer });
    return answer.finally(() => inFlight.delete(id));
  }

  async function perform(key: AnswerKey, fingerprint: Buffer, work: Work): Promise<Answered> {
    return deps.db.transaction(async (db) => {
      const now = new Date();
      const expiredBefore = new Date(now.getTime() - keptMs);
      if (!(await store.claimAnswer(db, key, fingerprint, { now, expiredBefore }))) {
        const kept = await store.findAnswer(db, key);
        if (!kept?.fingerprint.equals(fingerprint)) throw otherBody();
        return { status: kept.status, body: kept.body, replayed: true };
      }
      // What a refused request had begun to do is undone; its answer is kept all the same.
      const answer = await db
        .savepoint(() => work.run({ ...deps, db }))
        .catch((error) => {
          if (error instanceof Problem && isLasting(error)) return work.refuse(error);
          throw error;
        });
      await store.updateAnswer(db, key, answer);
      return { ...answer, replayed: false };
    });
  }

  return answerOnce;
}

/** An answer that the same request would get again: not one about credentials, load or a fault. */
function isLasting({ status }: Problem): boolean {
  return status < 500 && ![401, 403, 429].includes(status);
}

/** Forgets what is older than a day, a batch at a time. */
export async function forgetExpiredAnswers(deps: Deps): Promise<void> {
  const expiredBefore = new Date(Date.now() - keptMs);
  await inBatches((limit) => store.deleteExpiredAnswers(deps.db, expiredBefore, limit));
}

function otherBody() {
  return invalid([
    {
      path: '/Idempotency-Key',
      rule: 'sameBody',
      message: 'Idempotency-Key was used with another body: use a new key for a new request.',
    },
  ]);
}
