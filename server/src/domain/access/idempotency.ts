import { setImmediate as turn } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { AnswerKey } from '../../store/access/idempotency.ts';
import * as store from '../../store/access/idempotency.ts';
import { type Batch, coalescer } from '../../store/database/coalescer.ts';
import type { Db } from '../../store/database/db.ts';
import { invalid, Problem } from '../problems.ts';
import { inBatches } from '../shared/batches.ts';

export type Answer = { status: number; body: string };
export type Answered = Answer & { replayed: boolean };

/** What the request does, in the transaction it is given, and how a problem that it throws is answered. */
export type Work = {
  run(deps: Deps): Promise<Answer>;
  refuse(problem: Problem): Answer;
  /** It changes something by `db.batch` alone, as its last step: then many with a key can share one transaction. */
  together: boolean;
};

type Asked = { deps: Deps; key: AnswerKey; fingerprint: Buffer; work: Work };

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
    const answer = perform({ deps, key, fingerprint, work });
    inFlight.set(id, { fingerprint, answer });
    return answer.finally(() => inFlight.delete(id));
  }

  return answerOnce;
}

async function perform(asked: Asked): Promise<Answered> {
  const answer = await (asked.work.together ? asked.deps.db.batch(answering, asked) : answerAlone(asked));
  if (answer === 'other body') throw otherBody();
  return answer;
}

async function answerAlone(asked: Asked): Promise<Answered | 'other body'> {
  return asked.deps.db.transaction(async (db) => {
    const [claimed] = await claim(db, [asked]);
    if (!claimed) return keptAnswer(db, asked);
    // What a refused request had begun to do is undone; its answer is kept all the same.
    const answer = await db.savepoint(() => asked.work.run({ ...asked.deps, db })).catch(refusal(asked));
    await store.updateAnswers(db, [{ ...asked.key, ...answer }]);
    return { ...answer, replayed: false };
  });
}

/** Requests that come together: their keys are claimed, their work is done and their answers are kept by a statement each. */
const answering: Batch<Asked, Answered | 'other body'> = {
  async run(db, all) {
    const claimed = await claim(db, all);
    // What each of them would write waits for the others of this turn, so that they write together.
    const joined = { ...db, batch: coalescer((work) => turn().then(() => work(db))) };
    const answers = await Promise.all(
      all.map((asked, index) => claimed[index] && asked.work.run({ ...asked.deps, db: joined }).catch(refusal(asked))),
    );
    await store.updateAnswers(
      db,
      all.flatMap(({ key }, index) => (answers[index] ? { ...key, ...answers[index] } : [])),
    );
    return Promise.all(
      all.map((asked, index) => (answers[index] ? { ...answers[index], replayed: false } : keptAnswer(db, asked))),
    );
  },
};

function claim(db: Db, all: Asked[]): Promise<boolean[]> {
  const now = new Date();
  const asked = all.map(({ key, fingerprint }) => ({ ...key, fingerprint }));
  return store.claimAnswers(db, asked, { now, expiredBefore: new Date(now.getTime() - keptMs) });
}

async function keptAnswer(db: Db, { key, fingerprint }: Asked): Promise<Answered | 'other body'> {
  const kept = await store.findAnswer(db, key);
  if (!kept?.fingerprint.equals(fingerprint)) return 'other body';
  return { status: kept.status, body: kept.body, replayed: true };
}

/** A problem that lasts is an answer like others. */
function refusal({ work }: Asked): (error: unknown) => Answer {
  return (error) => {
    if (error instanceof Problem && isLasting(error)) return work.refuse(error);
    throw error;
  };
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
