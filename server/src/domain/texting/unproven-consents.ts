import type { Log } from '../../log.ts';
import type { Signals } from '../shared/signals.ts';

/** Each member once. Someone must find out why. */
export function reportUnprovenConsents({ signals }: { signals: Signals }, log: Log): void {
  for (const member of signals.unprovenConsents.take())
    log.error(member, 'a member’s consent is not what its last entry says; nothing is sent to it');
}
