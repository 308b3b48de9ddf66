/**
 * One thread answers everybody, and a STOP takes a dozen short steps of it. Work that takes longer than others should wait is done in turns:
 * after each of its steps it asks for a turn, and goes on at once until the turn is over. Then all that has arrived meanwhile comes
 * first, and one of those who wait for a turn has the next one, so however many they are, nobody else waits for more than one turn. Throws
 * where nobody waits for the work any more.
 */
export type TakeTurn = () => Promise<void>;

/** With its last step, which others can't see, a turn takes at most ten. */
const turnMs = 7;

const line: (() => void)[] = [];
let endsMs = Number.NEGATIVE_INFINITY;

/** For work that goes on whoever waits for it: a job's. */
export async function takeTurn(): Promise<void> {
  if (performance.now() < endsMs) return;
  await new Promise<void>((resolve) => {
    if (line.push(resolve) === 1) setImmediate(begin);
  });
}

/** The same for work that ends with a connection, or something else. */
export function turnsUntil(end: AbortSignal): TakeTurn {
  return async () => {
    end.throwIfAborted();
    await takeTurn();
    end.throwIfAborted();
  };
}

function begin(): void {
  endsMs = performance.now() + turnMs;
  line.shift()?.();
  if (line.length > 0) setImmediate(begin);
}

/** In parts of so many, each in its turn. */
export async function* inTurns<Item>(turn: TakeTurn, items: Item[], atOnce: number): AsyncGenerator<Item[]> {
  for (let from = 0; from < items.length; from += atOnce) {
    await turn();
    yield items.slice(from, from + atOnce);
  }
}
