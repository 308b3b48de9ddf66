import { healthOf } from '../../../../server/src/domain/carriers/health.ts';
import type { StateWord } from '../../words/states.ts';
import type { Carrier } from './queries.ts';

export const kindNames: Record<string, string> = {
  sandbox: 'Sandbox',
  smpp: 'SMPP',
  twilio: 'Twilio',
  telnyx: 'Telnyx',
};

const networkWords: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host’s name can’t be looked up',
  ETIMEDOUT: 'it doesn’t answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
};

/** What a connection said last. The network's codes stay, for who has to look them up. */
export function faultWords(fault: string): string {
  return networkWords[fault] ? `${networkWords[fault]} (${fault})` : fault;
}

/** How a carrier does on all nodes, in a few words. */
export function stateOf(carrier: Pick<Carrier, 'disabled' | 'nodes'>): StateWord {
  const { state, bound, all, faults } = healthOf(carrier);
  if (state === 'disabled') return { word: 'Disabled', icon: 'player-pause', tone: 'quiet' };
  if (state === 'unknown') return { word: 'No node has it open', icon: 'alert-triangle', tone: 'warn' };
  if (faults.length > 0) return { word: 'Can’t be opened', icon: 'alert-triangle', tone: 'bad' };
  const word = all === 0 ? 'Open' : `${bound} of ${all} bound`;
  if (bound === all) return { word, icon: 'circle-check', tone: 'good' };
  return { word, icon: 'alert-triangle', tone: bound > 0 ? 'warn' : 'bad' };
}

/** Texts per second that it allows now; null if nothing limits it. */
export function paceOf({ nodes }: Pick<Carrier, 'nodes'>): number | null {
  const paces = nodes.flatMap(({ carrier }) => (carrier?.perSecond ? [carrier.perSecond] : []));
  return paces.length === 0 ? null : Math.round(paces.reduce((sum, pace) => sum + pace, 0) * 10) / 10;
}

/** Counted since each node opened it. */
export function countsOf({ nodes }: Pick<Carrier, 'nodes'>): { accepted: number; refused: number; throttled: number } {
  const counts = { accepted: 0, refused: 0, throttled: 0 };
  for (const { carrier } of nodes) {
    counts.accepted += carrier?.accepted ?? 0;
    counts.refused += Object.values(carrier?.refused ?? {}).reduce((sum, each) => sum + each, 0);
    counts.throttled += carrier?.throttled ?? 0;
  }
  return counts;
}
