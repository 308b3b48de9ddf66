import type { Log } from '../../log.ts';
import { isNothingCommitted } from '../../store/database/errors.ts';
import type { Receipt } from '../ports.ts';
import { makeResetGuard } from './reset-guard.ts';
import { makeTrafficCounts } from './traffic-counts.ts';

export type Signals = ReturnType<typeof makeSignals>;

/** What this node knows about the archive: what is wrong with signing it, with its copies, its memory and the database. */
type ArchiveSigns = {
  signing: string | null;
  copies: string | null;
  memory: string | null;
  /** Why the database is an earlier one than what was signed: texts that wait may have gone out already, so none does. */
  restored: string | null;
  /** The size of the tree when the node's memory began; null if it signs nothing. */
  rememberedSince: number | null;
  /** The size of the tree that the copies outside cover; null if this node makes none. */
  copied: number | null;
};

export type Member = { advisorId: number; memberId: number };
/** A text, with what its row says of its recipient and its entry. */
type AlteredText = Member & { messageId: number; archiveNumber: number };

/** Stop reporting after this many. */
const reportsMax = 1_000;

/** How the parts of a node tell one another that something happened. Other nodes change things too, so each also polls. */
export function makeSignals() {
  return {
    queued: makeSignal(),
    consentChanged: makeKeyedSignal(nameOf),
    /** An advisor's event after the one that a reader of the feed has seen. */
    eventAdded: makeKeyedSignal(
      ({ advisorId, after }: { advisorId: number; after: number }) => `${advisorId}/${after}`,
    ),
    /** Members whose consent is not what their last consent entry says. */
    unprovenConsents: makeReports(({ advisorId, memberId }: Member) => ({ advisorId, memberId })),
    /** Texts that were refused because their rows are not what their entries say. */
    alteredTexts: makeReports((text: AlteredText) => {
      const { advisorId, messageId, memberId, archiveNumber } = text;
      return { advisorId, messageId, memberId, archiveNumber };
    }),
    /** Whether people's replies get through. */
    replies: makeIntake(),
    /** Accepted texts whose outcome isn't written yet, by the carrier's id, and their receipts. */
    receipts: makeRendezvous<Receipt>(),
    traffic: makeTrafficCounts(),
    archive: newArchiveSigns(),
    /** The node is about to stop, so nothing should start a long wait, and long work ends after its current step. */
    stopping: new AbortController(),
    resetGuard: makeResetGuard(),
  };
}

/** Ends when the node stops, or the sandbox is reset. */
export function endOf({ stopping, resetGuard }: Pick<Signals, 'stopping' | 'resetGuard'>): AbortSignal {
  return AbortSignal.any([stopping.signal, resetGuard.signal()]);
}

/** Of an archive that nobody has looked at yet. */
export function newArchiveSigns(): ArchiveSigns {
  return { signing: null, copies: null, memory: null, restored: null, rememberedSince: null, copied: null };
}

/** Between the steps of long work: throws if the node is stopping. */
export function requireRunning({ signals }: { signals: Signals }): void {
  signals.stopping.signal.throwIfAborted();
}

/** Whether an error only says that work ended because the node is stopping. */
export function isStopping({ signals }: { signals: Signals }, error: unknown): boolean {
  const { signal } = signals.stopping;
  return signal.aborted && error === signal.reason;
}

/** The same items. Throws at the next one if the node is stopping. */
export async function* whileRunning<Item>(
  deps: { signals: Signals },
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  for await (const item of items) {
    requireRunning(deps);
    yield item;
  }
}

function makeSignal() {
  const waiting = new Set<(raised: boolean) => void>();
  return {
    raise() {
      for (const wake of waiting) wake(true);
    },
    /** Waits until it is raised, the time has passed, or `until` aborts; whether it was raised. */
    wait: (ms: number, until?: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        const wake = (raised: boolean) => {
          clearTimeout(timer);
          waiting.delete(wake);
          until?.removeEventListener('abort', giveUp);
          resolve(raised);
        };
        const giveUp = () => wake(false);
        const timer = setTimeout(giveUp, ms);
        waiting.add(wake);
        until?.addEventListener('abort', giveUp);
        if (until?.aborted) giveUp();
      }),
  };
}

function nameOf({ advisorId, memberId }: Member): string {
  return `${advisorId}/${memberId}`;
}

/** What is to be reported, each once while the node runs, by the fields that a log may have. */
function makeReports<Item extends object>(fieldsOf: (item: Item) => Item) {
  const known = new Set<string>();
  let added: Item[] = [];
  return {
    add(item: Item) {
      const fields = fieldsOf(item);
      const name = JSON.stringify(fields);
      if (known.has(name) || known.size >= reportsMax) return;
      known.add(name);
      added.push(fields);
    },
    has: () => known.size > 0,
    /** Those that were added since it was called last. */
    take() {
      const taken = added;
      added = [];
      return taken;
    },
  };
}

/** A signal for each key, such as a member: raising one wakes only those who wait for that key. */
function makeKeyedSignal<Key>(nameOf: (key: Key) => string) {
  const signals = new Map<string, { key: Key; signal: ReturnType<typeof makeSignal>; waiting: number }>();
  return {
    raise: (key: Key) => signals.get(nameOf(key))?.signal.raise(),
    async wait(key: Key, ms: number, until?: AbortSignal) {
      const name = nameOf(key);
      const entry = signals.get(name) ?? { key, signal: makeSignal(), waiting: 0 };
      signals.set(name, entry);
      entry.waiting++;
      const raised = await entry.signal.wait(ms, until);
      entry.waiting--;
      if (entry.waiting === 0) signals.delete(name);
      return raised;
    },
    /** What someone is waiting for. */
    awaited: () => Array.from(signals.values(), ({ key }) => key),
  };
}

const lateMs = 1_000;
/** The sender tries again before that. If it doesn't, the failure was its last word. */
const failureCountsMs = 5_000;

/** Watches whether something that must always get through does. */
export function makeIntake() {
  const begun = new Set<{ atMs: number }>();
  let failedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const turn = { atMs: performance.now() };
      begun.add(turn);
      try {
        const result = await work();
        failedAtMs = Number.NEGATIVE_INFINITY;
        return result;
      } catch (error) {
        // One reply that can't be read says nothing about the next. A database that can't be written to does.
        if (isNothingCommitted(error)) failedAtMs = performance.now();
        throw error;
      } finally {
        begun.delete(turn);
      }
    },
    /** Something has been underway for a second, or the last one failed a moment ago. */
    isBehind(): boolean {
      const nowMs = performance.now();
      // In the order in which they began.
      const [oldest] = begun;
      return nowMs - failedAtMs < failureCountsMs || (oldest !== undefined && nowMs - oldest.atMs > lateMs);
    },
    /** The same, but a failure counts until something gets through: whoever looks must not miss that the sender gave up. */
    isFailing(): boolean {
      return failedAtMs > Number.NEGATIVE_INFINITY || this.isBehind();
    },
  };
}

type Encounter<Item> = { arrive: ((item: Item) => void) | null; written: Promise<boolean> };

/** Where something waits a moment for its counterpart, so that both can be written at once. Each has the same key. */
export function makeRendezvous<Item>() {
  const rendezvous = new Map<string, Encounter<Item>>();
  return {
    /** Waits so long for the item, and then writes, with null if none came. `write` returns whether it succeeded. */
    async meet(key: string, withinMs: number, write: (item: Item | null) => Promise<boolean>): Promise<void> {
      const { promise: arrival, resolve: arrive } = Promise.withResolvers<Item | null>();
      const timer = setTimeout(arrive, withinMs, null);
      const written = arrival.then((item) => {
        clearTimeout(timer);
        encounter.arrive = null;
        return write(item);
      });
      const encounter: Encounter<Item> = { arrive, written };
      rendezvous.set(key, encounter);
      await written.finally(() => {
        if (rendezvous.get(key) === encounter) rendezvous.delete(key);
      });
    },
    /**
     * True once the item has been written with its counterpart. False if nothing waits for it: then the caller writes it. If
     * the counterpart is just being written without it, that comes after.
     */
    async bring(key: string, item: Item): Promise<boolean> {
      const encounter = rendezvous.get(key);
      if (!encounter) return false;
      const { arrive, written } = encounter;
      encounter.arrive = null;
      arrive?.(item);
      const succeeded = await written.catch(() => false);
      return arrive !== null && succeeded;
    },
  };
}

/** Each member and each text once. Someone must find out why. */
export function reportTampering({ signals }: { signals: Signals }, log: Log): void {
  for (const member of signals.unprovenConsents.take())
    log.error(member, 'a member’s consent is not what its last entry says; nothing is sent to it');
  for (const text of signals.alteredTexts.take())
    log.error(text, 'a text’s row, recipient or body is not what its entry says; it was not handed over');
}
