/** A call as it went, without its secrets. */
export type LoggedCall = {
  /** In order. Callers choose trace ids, so several calls may have the same. */
  id: number;
  traceId: string;
  dateTime: Date;
  method: string;
  /** With its query. */
  path: string;
  status: number;
  durationMs: number;
  request: LoggedPart;
  response: LoggedPart;
};
export type LoggedPart = { headers: [name: string, value: string][]; body: string };

export type CallFilter = {
  traceId?: string | undefined;
  /** `2`, `4`, `5`, or the whole status. */
  status?: string | undefined;
  /** Some part of the path. */
  path?: string | undefined;
};

export type CallParts = Pick<LoggedCall, 'request' | 'response'>;
export type CallSummary = Omit<LoggedCall, keyof CallParts>;

/** The last calls of this process, in memory. */
export type CallLog = ReturnType<typeof makeCallLog>;

const callsMax = 1_000;
/** Nobody reads what comes faster, and to keep it would cost each call a tenth. */
export const perSecondMax = 50;
/** A thousand of the largest bodies would be a gigabyte. */
const sizeMax = 32 * 1024 * 1024;

export function makeCallLog() {
  const kept: KeptCall[] = [];
  const listeners = new Set<(call: LoggedCall) => void>();
  let total = 0;
  let last = 0;
  let second = { beganMs: -Infinity, calls: 0 };
  let leftOut = 0;
  return {
    /** Whether the next call should be kept: the first ones of each second are. */
    takes(): boolean {
      const nowMs = performance.now();
      if (nowMs - second.beganMs >= 1_000) second = { beganMs: nowMs, calls: 0 };
      second.calls += 1;
      if (second.calls > perSecondMax) leftOut += 1;
      return second.calls <= perSecondMax;
    },
    /** How many weren't kept. */
    leftOut: () => leftOut,
    /** Its parts are read when somebody looks, as most calls never are; `size` is about what they keep. */
    add(call: Omit<CallSummary, 'id'>, parts: () => CallParts, size: number): void {
      last += 1;
      const added = { call: { ...call, id: last }, parts, size };
      kept.push(added);
      total += size;
      while (kept.length > callsMax || total > sizeMax) total -= kept.shift()?.size ?? 0;
      for (const listener of listeners) listener(whole(added));
    },
    /** Newest first. To read the parts of all would take others' time. */
    list: (filter: CallFilter = {}): CallSummary[] =>
      kept
        .map(({ call }) => call)
        .filter((call) => matches(call, filter))
        .reverse(),
    find(id: number): LoggedCall | null {
      const found = kept.find(({ call }) => call.id === id);
      return found ? whole(found) : null;
    },
    /** Calls from now on, until the returned function is called. */
    follow(listener: (call: LoggedCall) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type KeptCall = { call: CallSummary; parts: () => CallParts; size: number };

function whole({ call, parts }: KeptCall): LoggedCall {
  return { ...call, ...parts() };
}

export function matches(call: CallSummary, { traceId, status, path }: CallFilter): boolean {
  return (
    (!traceId || call.traceId.startsWith(traceId)) &&
    (!status || String(call.status).startsWith(status)) &&
    (!path || call.path.toLowerCase().includes(path.toLowerCase()))
  );
}
