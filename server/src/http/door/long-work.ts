import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { makeFairQueue } from '../../domain/shared/fair-queue.ts';
import { turnsUntil } from '../../domain/shared/turns.ts';
import { disconnected } from './body.ts';
import { overloaded } from './rate-limit.ts';

export type LongWork = ReturnType<typeof makeLongWork>;

/** How much of it is underway at once, whoever asked for it, and how much more waits, and how long. Nobody has two places. */
const places = { width: 4, share: 1, waitingMax: 100, waitingEachMax: 20, waitMs: 20_000 };

/** Whether a body is about more than a hundred people. */
export function isToMany(body: unknown): boolean {
  const { phoneNumbers } = (body ?? {}) as { phoneNumbers?: unknown };
  return Array.isArray(phoneNumbers) && phoneNumbers.length > 100;
}

/**
 * Work about more than a hundred people or rows, or much text, has few places in a process, one of each advisor and firm, so that what it
 * holds in memory is bounded. It ends with its connection: its `deps` have turns that do.
 */
export function makeLongWork() {
  const queue = makeFairQueue({ ...places, tooMany: overloaded });
  return async <Given extends Pick<Deps, 'turn'>, Result>(
    deps: Given,
    { reply: { raw, request }, who }: { reply: FastifyReply; who: string },
    work: (deps: Given) => Promise<Result>,
  ): Promise<Result> => {
    const gone = new AbortController();
    const leave = () => gone.abort(disconnected());
    raw.once('close', leave);
    // It takes no other request's place, and that it is slow doesn't mean that the machine is.
    request.leave?.();
    try {
      const done = await queue.enter(who);
      const turn = turnsUntil(gone.signal);
      return await turn()
        .then(() => work({ ...deps, turn }))
        .finally(done);
    } finally {
      raw.off('close', leave);
    }
  };
}
