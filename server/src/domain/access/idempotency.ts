import { setImmediate as turn } from 'node:timers/promises';
import { type Deps, inTransaction } from '../../deps.ts';
import type { ResponseKey, StoredResponse } from '../../store/access/idempotency.ts';
import * as store from '../../store/access/idempotency.ts';
import type { Batch, Db } from '../../store/database/db.ts';
import { coalescer } from '../../store/database/running/coalescer.ts';
import { invalid, Problem } from '../problems.ts';
import { inBatches } from '../shared/in-batches.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';

/** The response is the door’s: it is kept and returned as given, and nothing here looks into it. */
type IdempotentResponse = { response: StoredResponse; replayed: boolean };

/** What a request's work came to. A key is spent only if it took effect: otherwise the same key can be used again. */
export type WorkResult = { response: StoredResponse; tookEffect: boolean };

export type Work = {
  run(deps: Deps): Promise<WorkResult>;
  /** It writes only through `db.batch`, as its last step, so many requests with a key can share one transaction. */
  together: boolean;
};

type KeyedRequest = { deps: Deps; key: ResponseKey; fingerprint: Buffer; work: Work };

const keptMs = dayMs;

/** What became of a request with a key. One that was not kept has left the key as it was. */
type KeyedResponse = IdempotentResponse & { kept: boolean };
type KeyedResult = KeyedResponse | 'different body' | { refused: Problem };

/**
 * Does the work at most once per Idempotency-Key. The response is committed in the same transaction as the work, so a
 * crash keeps both or neither. A duplicate in flight waits and shares the response: on this node through its promise, so
 * that a hundred duplicates don't hold a hundred connections; on another node through the row lock on the key.
 */
export function idempotency() {
  const inFlight = new Map<string, { fingerprint: Buffer; outcome: Promise<KeyedResponse> }>();

  async function respondOnce(
    deps: Deps,
    key: ResponseKey,
    fingerprint: Buffer,
    work: Work,
  ): Promise<IdempotentResponse> {
    const id = JSON.stringify(key);
    for (let first = inFlight.get(id); first; first = inFlight.get(id)) {
      // A fault is shared too: if each duplicate retried on its own, the last would wait for one timeout per duplicate.
      if (first.fingerprint.equals(fingerprint)) return { ...(await first.outcome), replayed: true };
      if (
        await first.outcome.then(
          ({ kept }) => kept,
          () => false,
        )
      )
        throw differentBody();
    }
    const outcome = perform({ deps, key, fingerprint, work }).finally(() => inFlight.delete(id));
    inFlight.set(id, { fingerprint, outcome });
    return outcome;
  }

  return respondOnce;
}

async function perform(asked: KeyedRequest): Promise<KeyedResponse> {
  const result = await (asked.work.together ? asked.deps.db.batch(together, asked) : performAlone(asked));
  if (result === 'different body') throw differentBody();
  if ('refused' in result) throw result.refused;
  return result;
}

/** A problem that the work throws undoes the claim as well. */
async function performAlone(asked: KeyedRequest): Promise<KeyedResult> {
  return inTransaction(asked.deps, async (deps) => {
    const [claimed] = await claim(deps.db, [asked]);
    if (!claimed) return findKept(deps.db, asked);
    const done = await asked.work.run(deps);
    await settle(deps.db, [{ key: asked.key, done }]);
    return outcomeOf(done);
  });
}

/** Concurrent requests: one statement claims their keys, one does their work, and one keeps their responses. */
const together: Batch<KeyedRequest, KeyedResult> = {
  advisorOf: ({ key }) => key.advisorId,
  async run(db, all) {
    const claimed = await claim(db, all);
    // Each request's writes wait for the others of this turn, so that they are written together.
    const joined = { ...db, batch: coalescer((work) => turn().then(() => work(db))) };
    const done = await Promise.all(
      all.map((asked, index) => (claimed[index] ? asked.work.run({ ...asked.deps, db: joined }).catch(refusal) : null)),
    );
    await settle(
      db,
      all.flatMap(({ key }, index) => (done[index] ? { key, done: done[index] } : [])),
    );
    return Promise.all(all.map((asked, index) => (done[index] ? outcomeOf(done[index]) : findKept(db, asked))));
  },
};

type RefusedRequest = { refused: Problem };

/** The request's own problem must not fail the others of its batch. */
function refusal(error: unknown): RefusedRequest {
  if (error instanceof Problem) return { refused: error };
  throw error;
}

function outcomeOf(done: WorkResult | RefusedRequest): KeyedResult {
  return 'refused' in done ? done : { response: done.response, replayed: false, kept: done.tookEffect };
}

async function settle(db: Db, all: { key: ResponseKey; done: WorkResult | RefusedRequest }[]): Promise<void> {
  const responses = all.flatMap(({ key, done }) =>
    'response' in done && done.tookEffect ? { key, response: done.response } : [],
  );
  const unspent = all.flatMap(({ key, done }) => ('response' in done && done.tookEffect ? [] : key));
  await store.updateResponses(db, responses);
  await store.deleteResponses(db, unspent);
}

async function claim(db: Db, all: KeyedRequest[]): Promise<boolean[]> {
  const [first] = all;
  if (!first) return [];
  const now = first.deps.databaseClock.now();
  const asked = all.map(({ key, fingerprint }) => ({ ...key, fingerprint }));
  return store.claimResponses(db, asked, { now, expiredBefore: new Date(now.getTime() - keptMs) });
}

async function findKept(db: Db, { key, fingerprint }: KeyedRequest): Promise<KeyedResponse | 'different body'> {
  const kept = await store.findResponse(db, key);
  if (!kept?.fingerprint.equals(fingerprint)) return 'different body';
  return { response: kept.response, replayed: true, kept: true };
}

export async function forgetExpiredResponses(deps: Deps): Promise<void> {
  const expiredBefore = realTimeIn(deps, -keptMs);
  await inBatches(deps, (limit) => store.deleteExpiredResponses(deps.db, expiredBefore, limit));
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
