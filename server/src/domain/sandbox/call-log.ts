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

/** The last calls of this process, in memory. */
export type CallLog = {
  /** Its parts may be getters, and `size` is about what they keep: most calls are never looked at. */
  add(call: Omit<LoggedCall, 'id'>, size: number): void;
  /** Newest first. */
  list(filter?: CallFilter): LoggedCall[];
  find(id: number): LoggedCall | null;
  /** Calls from now on, until the returned function is called. */
  follow(listener: (call: LoggedCall) => void): () => void;
};

const callsMax = 1_000;
/** A thousand of the largest bodies would be a gigabyte. */
const sizeMax = 32 * 1024 * 1024;

export function makeCallLog(): CallLog {
  const kept: { call: LoggedCall; size: number }[] = [];
  const listeners = new Set<(call: LoggedCall) => void>();
  let total = 0;
  let last = 0;
  return {
    add(given, size) {
      last += 1;
      const call = Object.assign(given, { id: last });
      kept.push({ call, size });
      total += size;
      while (kept.length > callsMax || total > sizeMax) total -= kept.shift()?.size ?? 0;
      for (const listener of listeners) listener(call);
    },
    list: (filter = {}) => kept.flatMap(({ call }) => (matches(call, filter) ? call : [])).reverse(),
    find: (id) => kept.find(({ call }) => call.id === id)?.call ?? null,
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function matches(call: LoggedCall, { traceId, status, path }: CallFilter): boolean {
  return (
    (!traceId || call.traceId.startsWith(traceId)) &&
    (!status || String(call.status).startsWith(status)) &&
    (!path || call.path.toLowerCase().includes(path.toLowerCase()))
  );
}
