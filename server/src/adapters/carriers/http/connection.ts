import type { CarrierConnection } from '../../../domain/ports.ts';
import type { HttpCarrierEvent } from './settings.ts';

const name = 'requests';

/** HTTP connections come and go, so what counts is how the last request went: `bound` if it was answered. */
export function makeConnection(
  host: string,
  window: number,
  changed: () => void,
  report: (event: HttpCarrierEvent) => void,
) {
  let inFlight = 0;
  let state: CarrierConnection['state'] = 'connecting';
  let since = new Date();
  let lastFault: string | null = null;

  function move(to: CarrierConnection['state']): void {
    // A stopped one stays so, whatever answers still come.
    if (state === to || state === 'stopped') return;
    state = to;
    since = new Date();
  }

  function fail(event: 'lost' | 'refused', why: string): void {
    if (state !== 'waiting' && state !== 'stopped') report({ connection: name, host, event, why });
    lastFault = why;
    move('waiting');
  }

  return {
    // A request that can't be made fails at once, and the dispatcher pauses after some of those.
    isOpen: () => true,
    room: () => window - inFlight,
    inFlight: () => inFlight,
    entered(): void {
      inFlight += 1;
    },
    left(): void {
      inFlight -= 1;
      changed();
    },
    /** A response came. `fault` is what is wrong with the account, if that is what it says. */
    answered(fault: string | null) {
      if (fault !== null) return fail('refused', fault);
      if (state !== 'bound' && state !== 'stopped') report({ connection: name, host, event: 'bound' });
      move('bound');
    },
    failed: (why: string) => fail('lost', why),
    throttled: (perSecond: number) => report({ connection: name, host, event: 'throttled', perSecond }),
    isBound: () => state === 'bound',
    stop: () => move('stopped'),
    status: (): CarrierConnection => ({ name, host, state, since, inFlight, window, lastFault }),
  };
}
