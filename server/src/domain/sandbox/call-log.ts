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
  add(call: Omit<LoggedCall, 'id'>): void;
  /** Newest first. */
  list(filter?: CallFilter): LoggedCall[];
  find(id: number): LoggedCall | null;
  /** Calls from now on, until the returned function is called. */
  follow(listener: (call: LoggedCall) => void): () => void;
};

const callsMax = 1_000;
/** A thousand of the largest bodies would be a gigabyte. */
const charactersMax = 32 * 1024 * 1024;

export function makeCallLog(): CallLog {
  const calls: LoggedCall[] = [];
  const listeners = new Set<(call: LoggedCall) => void>();
  let characters = 0;
  let last = 0;
  return {
    add(given) {
      last += 1;
      const call = { id: last, ...given };
      calls.push(call);
      characters += sizeOf(call);
      while (calls.length > callsMax || characters > charactersMax) characters -= sizeOf(calls.shift());
      for (const listener of listeners) listener(call);
    },
    list: (filter = {}) => calls.filter((call) => matches(call, filter)).reverse(),
    find: (id) => calls.find((call) => call.id === id) ?? null,
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

function sizeOf(call: LoggedCall | undefined): number {
  return call ? call.request.body.length + call.response.body.length : 0;
}
