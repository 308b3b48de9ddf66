export type FairQueue = ReturnType<typeof makeFairQueue>;

type FairQueueOptions = {
  width: number;
  share?: number;
  /** How many may wait: in all, and of one caller. */
  waitingMax?: number;
  waitingEachMax?: number;
  /** For how long: 5 s if not told otherwise. */
  waitMs?: number;
  /** The error for a caller when too many are waiting, or one waits too long. */
  tooMany(): Error;
};

type Caller = { inside: number; waiting: Turn[] };
type Turn = { cost: number; begin(): void };

const waitMsDefault = 5_000;

/**
 * A queue in front of something scarce. Only so many are inside at once; a flood waits here, in memory. Callers take turns,
 * so one who asks for much delays mostly itself. If too many are waiting, or one waits too long, the caller is told to come
 * back.
 */
export function makeFairQueue(options: FairQueueOptions) {
  const { width, share = width, waitingMax = 1_000, waitingEachMax = 200, waitMs = waitMsDefault, tooMany } = options;
  // In the order of their next turns.
  const callers = new Map<string, Caller>();
  let inside = 0;
  let waiting = 0;

  function hasRoom(caller: Caller, cost: number): boolean {
    return caller.inside + cost <= share && inside + cost <= width;
  }

  function enterNow(who: string, caller: Caller, cost: number): () => void {
    inside += cost;
    caller.inside += cost;
    return once(() => {
      inside -= cost;
      caller.inside -= cost;
      admit();
      if (caller.inside === 0 && caller.waiting.length === 0) callers.delete(who);
    });
  }

  /** Lets in everyone who fits now. A caller that was let in goes to the end of the order. */
  function admit(): void {
    if (waiting === 0) return;
    for (const [who, caller] of callers) {
      const [turn] = caller.waiting;
      if (!turn || caller.inside + turn.cost > share) continue;
      // It is this caller's turn: nobody with a cheaper one overtakes it.
      if (!hasRoom(caller, turn.cost)) return;
      caller.waiting.shift();
      putLast(who, caller);
      turn.begin();
    }
  }

  function wait(who: string, caller: Caller, cost: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      waiting++;
      const late = setTimeout(() => {
        waiting--;
        caller.waiting.splice(caller.waiting.indexOf(turn), 1);
        reject(tooMany());
      }, waitMs);
      const turn = {
        cost,
        begin() {
          waiting--;
          clearTimeout(late);
          resolve(enterNow(who, caller, cost));
        },
      };
      if (caller.waiting.length === 0) putLast(who, caller);
      caller.waiting.push(turn);
      admit();
    });
  }

  function putLast(who: string, caller: Caller): void {
    callers.delete(who);
    callers.set(who, caller);
  }

  return {
    /** Waits for a turn that costs so many places. Call the returned function when done. */
    async enter(who: string, wanted = 1): Promise<() => void> {
      const cost = Math.min(wanted, share);
      const caller = callers.get(who) ?? { inside: 0, waiting: [] };
      callers.set(who, caller);
      if (waiting === 0 && hasRoom(caller, cost)) return enterNow(who, caller, cost);
      if (waiting >= waitingMax || caller.waiting.length >= waitingEachMax) throw tooMany();
      return wait(who, caller, cost);
    },
  };
}

function once(leave: () => void): () => void {
  let left = false;
  return () => {
    if (left) return;
    left = true;
    leave();
  };
}
