import type { Receipt } from '../ports.ts';
import { type Intake, makeIntake } from './intake.ts';
import { type Life, makeLife } from './life.ts';
import { makeRendezvous, type Rendezvous } from './rendezvous.ts';
import { makeTrafficCounts, type TrafficCounts } from './traffic-counts.ts';

/** How the parts of a node tell one another that something happened. Other nodes change things too, so each also polls. */
export type Signals = {
  queued: Signal;
  consentChanged: KeyedSignal<Member>;
  /** An advisor's event after the one that a reader of the feed has seen. */
  eventAdded: KeyedSignal<Reader>;
  /** Members whose consent is not what their last consent entry says. */
  unprovenConsents: MemberReports;
  /** Whether people's replies get through. */
  replies: Intake;
  /** Accepted texts whose outcome isn't written yet, by the carrier's id, and their receipts. */
  receipts: Rendezvous<Receipt>;
  traffic: TrafficCounts;
  archive: ArchiveSigns;
  /** The node is about to stop, so nothing should start a long wait, and long work ends after its current step. */
  stopping: AbortController;
  /** Ends with a reset of the sandbox. */
  life: Life;
};

/** What this node knows about the archive: what is wrong with signing it, with its copies, its memory and the database. */
export type ArchiveSigns = {
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

export type Signal = {
  raise(): void;
  /** Waits until it is raised, the time has passed, or `until` aborts; whether it was raised. */
  wait(ms: number, until?: AbortSignal): Promise<boolean>;
};

export type Member = { advisorId: number; memberId: number };

export type Reader = { advisorId: number; after: number };

/** A signal for each key, such as a member: raising one wakes only those who wait for that key. */
export type KeyedSignal<Key> = {
  raise(key: Key): void;
  wait(key: Key, ms: number, until?: AbortSignal): Promise<boolean>;
  /** What someone is waiting for. */
  awaited(): Key[];
};

/** Members to report, each once while the node runs. */
export type MemberReports = {
  add(member: Member): void;
  /** Those that were added since it was called last. */
  take(): Member[];
};

/** Stop reporting after this many. */
const reportsMax = 1_000;

export function makeSignals(): Signals {
  return {
    queued: makeSignal(),
    consentChanged: makeKeyedSignal(nameOf),
    eventAdded: makeKeyedSignal(({ advisorId, after }) => `${advisorId}/${after}`),
    unprovenConsents: makeMemberReports(),
    replies: makeIntake(),
    receipts: makeRendezvous(),
    traffic: makeTrafficCounts(),
    archive: newArchiveSigns(),
    stopping: new AbortController(),
    life: makeLife(),
  };
}

/** Ends when the node stops, or the sandbox is reset. */
export function endOf({ stopping, life }: Pick<Signals, 'stopping' | 'life'>): AbortSignal {
  return AbortSignal.any([stopping.signal, life.signal()]);
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

function makeSignal(): Signal {
  const waiting = new Set<(raised: boolean) => void>();
  return {
    raise() {
      for (const wake of waiting) wake(true);
    },
    wait: (ms, until) =>
      new Promise((resolve) => {
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

function makeMemberReports(): MemberReports {
  const known = new Set<string>();
  let added: Member[] = [];
  return {
    add({ advisorId, memberId }) {
      const name = nameOf({ advisorId, memberId });
      if (known.has(name) || known.size >= reportsMax) return;
      known.add(name);
      added.push({ advisorId, memberId });
    },
    take() {
      const taken = added;
      added = [];
      return taken;
    },
  };
}

function makeKeyedSignal<Key>(nameOf: (key: Key) => string): KeyedSignal<Key> {
  const signals = new Map<string, { key: Key; signal: Signal; waiting: number }>();
  return {
    raise: (key) => signals.get(nameOf(key))?.signal.raise(),
    async wait(key, ms, until) {
      const name = nameOf(key);
      const entry = signals.get(name) ?? { key, signal: makeSignal(), waiting: 0 };
      signals.set(name, entry);
      entry.waiting++;
      const raised = await entry.signal.wait(ms, until);
      entry.waiting--;
      if (entry.waiting === 0) signals.delete(name);
      return raised;
    },
    awaited: () => Array.from(signals.values(), ({ key }) => key),
  };
}
