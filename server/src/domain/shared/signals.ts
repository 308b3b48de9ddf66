import type { Receipt } from '../ports.ts';
import { makeIntake } from './intake.ts';
import { makeRendezvous } from './rendezvous.ts';
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
    unprovenConsents: makeMemberReports(),
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

/** Members to report, each once while the node runs. */
function makeMemberReports() {
  const known = new Set<string>();
  let added: Member[] = [];
  return {
    add({ advisorId, memberId }: Member) {
      const name = nameOf({ advisorId, memberId });
      if (known.has(name) || known.size >= reportsMax) return;
      known.add(name);
      added.push({ advisorId, memberId });
    },
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
