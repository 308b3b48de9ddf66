import { setTimeout as pause } from 'node:timers/promises';
import type { CarrierConnection } from '../../../../domain/ports.ts';
import type { SmppHost, SmppSettings } from '../options.ts';
import { openSession, type Receive, type Role, type SessionEnd, type SmppSession } from './session.ts';

/** A bind that lasted so long was no failure, so the next pause is the shortest again. */
const steadyMs = 10_000;

export type Bind = ReturnType<typeof keepBind>;

/** A bind that is kept: lost, it is made again, at the next host if there is one. */
export function keepBind(
  settings: SmppSettings,
  { role, number }: { role: Role; number: number },
  receive: Receive,
  changed: () => void,
) {
  const { hosts, times, window, report } = settings;
  const name = `${role} ${number + 1}`;
  const stopping = new AbortController();
  let current: SmppSession | null = null;
  let inFlight = 0;
  let host = hostAt(hosts, number);
  let state: CarrierConnection['state'] = 'connecting';
  let since = new Date();
  let lastFault: string | null = null;

  function move(to: CarrierConnection['state']): void {
    state = to;
    since = new Date();
    changed();
  }

  /** Connects, and returns how it ended, and whether it had lasted. */
  async function connect(): Promise<SessionEnd & { lasted: boolean }> {
    move('connecting');
    const session = openSession(settings, { host, role }, { receive, changed });
    const stop = () => void session.unbind();
    stopping.signal.addEventListener('abort', stop);
    const boundAt = await session.bound.then(
      (systemId) => {
        current = session;
        report({ connection: name, host: host.host, event: 'bound', systemId });
        move('bound');
        return performance.now();
      },
      () => null,
    );
    const ended = await session.closed;
    current = null;
    stopping.signal.removeEventListener('abort', stop);
    return { ...ended, lasted: boundAt !== null && performance.now() - boundAt > steadyMs };
  }

  async function keep(): Promise<void> {
    for (let failures = 0, at = number; !stopping.signal.aborted; ) {
      host = hostAt(hosts, at);
      const { why, inDoubt, isRefused, lasted } = await connect();
      if (stopping.signal.aborted) break;
      lastFault = why;
      failures = lasted ? 1 : failures + 1;
      at += 1;
      const retryInMs = pauseAfter(failures, settings);
      const event = isRefused ? 'refused' : 'lost';
      report({ connection: name, host: host.host, event, why, inDoubt, retryInMs });
      move('waiting');
      await pause(retryInMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    move('stopped');
  }

  const kept = keep();
  return {
    /** The session that is bound now. */
    session: () => current,
    isOpen: () => current !== null,
    inFlight: () => inFlight,
    entered(): void {
      inFlight += 1;
    },
    left(): void {
      inFlight -= 1;
      changed();
    },
    room: () => (current?.isFree() ? window - inFlight : 0),
    status: (): CarrierConnection => ({
      name,
      host: `${host.host}:${host.port}`,
      state,
      since,
      inFlight,
      window,
      lastFault,
    }),
    async stop(): Promise<void> {
      for (const until = performance.now() + times.stopMs; inFlight > 0 && performance.now() < until; )
        await pause(stopPollMs);
      stopping.abort();
      await kept;
    },
  };
}

const stopPollMs = 10;

/**
 * Each host is tried once without a pause to speak of; after that the pause doubles. Its length is random, so that binds that
 * were lost together don't come back together.
 */
function pauseAfter(failures: number, { hosts, times }: SmppSettings): number {
  const rounds = Math.floor(failures / hosts.length);
  const longest = failures < hosts.length ? times.reconnectMs / 10 : times.reconnectMs * 2 ** Math.min(rounds - 1, 20);
  return Math.round(Math.min(longest, times.reconnectMsMax) * (0.5 + Math.random() / 2));
}

function hostAt(hosts: SmppHost[], at: number): SmppHost {
  return hosts[at % hosts.length] as SmppHost;
}
