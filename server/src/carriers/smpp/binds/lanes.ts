import type { Bind } from './bind.ts';
import type { Pace } from './pace.ts';

/** Where texts wait for a bind with room in its window, first come, first served, and for the pace. */
export type Lanes = {
  /** The bind to use, with a place taken in its window; or why there is none in time. */
  enter(until: number): Promise<Lane>;
  /** Something changed: a bind has room, came or went. */
  changed(): void;
};

type Lane = Bind | 'not_bound' | 'window_full' | 'throttled';
type Waiting = { resolve(lane: Lane): void; timer: NodeJS.Timeout };

export function makeLanes(transmitters: Bind[], pace: Pace): Lanes {
  const waiting = new Set<Waiting>();
  let isPacing = false;

  /** The one with the shortest queue: a host that answers slowly gets less. */
  function best(): Bind | null {
    let found: Bind | null = null;
    for (const bind of transmitters) if (bind.hasRoom() && (!found || bind.inFlight() < found.inFlight())) found = bind;
    return found;
  }

  function leave(one: Waiting, lane: Lane): void {
    waiting.delete(one);
    clearTimeout(one.timer);
    one.resolve(lane);
  }

  function changed(): void {
    if (waiting.size === 0) return;
    if (!transmitters.some((bind) => bind.session())) for (const one of waiting) leave(one, 'not_bound');
    for (const one of waiting) {
      const delayMs = pace.delayMs();
      if (delayMs > 0) {
        if (!isPacing) setTimeout(resume, delayMs);
        isPacing = true;
        return;
      }
      const bind = best();
      if (!bind) return;
      take(bind);
      leave(one, bind);
    }
  }

  function resume(): void {
    isPacing = false;
    changed();
  }

  function take(bind: Bind): void {
    bind.entered();
    pace.began();
  }

  return {
    enter(until) {
      const { promise, resolve } = Promise.withResolvers<Lane>();
      const timer = setTimeout(
        () => leave(one, pace.delayMs() > 0 ? 'throttled' : 'window_full'),
        Math.max(0, until - Date.now()),
      );
      const one = { resolve, timer };
      waiting.add(one);
      changed();
      return promise;
    },
    changed,
  };
}
