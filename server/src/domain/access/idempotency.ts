import { setImmediate as turn } from 'node:timers/promises';
import { type Deps, inTransaction } from '../../deps.ts';
import type { Answer, AnswerKey } from '../../store/access/idempotency.ts';
import * as store from '../../store/access/idempotency.ts';
import { coalescer } from '../../store/database/coalescer.ts';
import type { Batch, Db } from '../../store/database/db.ts';
import { invalid, Problem } from '../problems.ts';
import { inBatches } from '../shared/in-batches.ts';

/** The answer is the door’s: it is kept and returned as given, and nothing here looks into it. */
export type Answered = { answer: Answer; replayed: boolean };

export type Work = {
  /** Does the request's work in the transaction it is given. */
  run(deps: Deps): Promise<Answer>;
  /** The answer when the work throws this problem. */
  refuse(problem: Problem): Answer;
  /** It writes only through `db.batch`, as its last step, so many requests with a key can share one transaction. */
  together: boolean;
};

type Asked = { deps: Deps; key: AnswerKey; fingerprint: Buffer; work: Work };

const keptMs = 24 * 60 * 60 * 1000;

/**
 * Does the work at most once per Idempotency-Key. The answer is committed in the same transaction as the work, so a
 * crash keeps both or neither. A duplicate in flight waits and shares the answer: on this node through its promise, so
 * that a hundred duplicates don't hold a hundred connections; on another node through the row lock on the key.
 */
export function idempotency() {
  const inFlight = new Map<string, { fingerprint: Buffer; answered: Promise<Answered> }>();

  async function answerOnce(deps: Deps, key: AnswerKey, fingerprint: Buffer, work: Work): Promise<Answered> {
    const id = JSON.stringify(key);
    const duplicated = inFlight.get(id);
    if (duplicated) {
      if (!duplicated.fingerprint.equals(fingerprint)) throw differentBody();
      // A fault is shared too: if each duplicate retried on its own, the last would wait for one timeout per duplicate.
      return { ...(await duplicated.answered), replayed: true };
    }
    const answered = perform({ deps, key, fingerprint, work });
    inFlight.set(id, { fingerprint, answered });
    return answered.finally(() => inFlight.delete(id));
  }

  return answerOnce;
}

async function perform(asked: Asked): Promise<Answered> {
  const answered = await (asked.work.together ? asked.deps.db.batch(together, asked) : performAlone(asked));
  if (answered === 'different body') throw differentBody();
  return answered;
}

async function performAlone(asked: Asked): Promise<Answered | 'different body'> {
  return inTransaction(asked.deps, async (deps) => {
    const [claimed] = await claim(deps.db, [asked]);
    if (!claimed) return findKept(deps.db, asked);
    // The savepoint undoes the work of a refused request; its answer is kept all the same.
    const answer = await deps.db.savepoint(() => asked.work.run(deps)).catch(refusal(asked));
    await store.updateAnswers(deps.db, [{ key: asked.key, answer }]);
    return { answer, replayed: false };
  });
}

/** Concurrent requests: one statement claims their keys, one does their work, and one keeps their answers. */
const together: Batch<Asked, Answered | 'different body'> = {
  async run(db, all) {
    const claimed = await claim(db, all);
    // Each request's writes wait for the others of this turn, so that they are written together.
    const joined = { ...db, batch: coalescer((work) => turn().then(() => work(db))) };
    const answers = await Promise.all(
      all.map((asked, index) => claimed[index] && asked.work.run({ ...asked.deps, db: joined }).catch(refusal(asked))),
    );
    await store.updateAnswers(
      db,
      all.flatMap(({ key }, index) => (answers[index] ? { key, answer: answers[index] } : [])),
    );
    return Promise.all(
      all.map((asked, index) => (answers[index] ? { answer: answers[index], replayed: false } : findKept(db, asked))),
    );
  },
};

function claim(db: Db, all: Asked[]): Promise<boolean[]> {
  const now = new Date();
  const asked = all.map(({ key, fingerprint }) => ({ ...key, fingerprint }));
  return store.claimAnswers(db, asked, { now, expiredBefore: new Date(now.getTime() - keptMs) });
}

async function findKept(db: Db, { key, fingerprint }: Asked): Promise<Answered | 'different body'> {
  const kept = await store.findAnswer(db, key);
  if (!kept?.fingerprint.equals(fingerprint)) return 'different body';
  return { answer: kept.answer, replayed: true };
}

/** A problem that would come again is an answer like any other. */
function refusal({ work }: Asked): (error: unknown) => Answer {
  return (error) => {
    if (error instanceof Problem && isLasting(error)) return work.refuse(error);
    throw error;
  };
}

/** Whether the same request would get the same problem again: not one about credentials, load or a fault. */
function isLasting({ code, retryable }: Problem): boolean {
  return !retryable && code !== 'unauthorized' && code !== 'forbidden';
}

/** Forgets answers older than a day, a batch at a time. */
export async function forgetExpiredAnswers(deps: Deps): Promise<void> {
  const expiredBefore = new Date(Date.now() - keptMs);
  await inBatches((limit) => store.deleteExpiredAnswers(deps.db, expiredBefore, limit));
}

function differentBody() {
  return invalid([
    {
      path: '/Idempotency-Key',
      rule: 'sameBody',
      message: 'Idempotency-Key was used with a different body: use a new key for a new request.',
    },
  ]);
}
