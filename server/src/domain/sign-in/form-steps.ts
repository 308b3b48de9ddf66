import type { Deps } from '../../deps.ts';
import { realTimeIn } from '../shared/time.ts';

type Sealing = Pick<Deps, 'sealer' | 'databaseClock'>;

/**
 * What somebody has done of a sign-in that takes two forms. The first form's answer carries it to the second in a hidden field,
 * sealed: nobody can read it, change it or make one, and nothing is stored about somebody who goes no further.
 */
const validMs = 15 * 60 * 1000;

export function sealStep(deps: Sealing, what: string, done: object): string {
  const until = realTimeIn(deps, validMs).getTime();
  return deps.sealer.seal(JSON.stringify({ done, until }), what).toString('base64url');
}

/** What was done; null if this isn't one of ours, is for something else, or has expired. */
export function openStep<Done>({ sealer, databaseClock }: Sealing, what: string, given: string): Done | null {
  try {
    const { done, until } = JSON.parse(sealer.open(Buffer.from(given, 'base64url'), what));
    return databaseClock.now().getTime() < until ? done : null;
  } catch {
    return null;
  }
}
