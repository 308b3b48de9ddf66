import { fileURLToPath } from 'node:url';
import { startFarEnd } from '../test/support/far-ends.ts';

/**
 * What a link does with bytes: passes them on; takes its time; swallows them, as a cable that was pulled; or has broken, and
 * refuses new connections.
 */
export type Fate = 'pass' | 'slow' | 'silent' | 'cut';

/** Links that everything between the processes goes through, in a process of their own. */
export type Links = {
  /** Its port. A link belongs to a place. */
  open(place: string, target: number): Promise<number>;
  /** Of every link of that place. */
  set(place: string, fate: Fate): Promise<void>;
  /** Breaks the connections there are, and takes new ones. */
  drop(place: string): Promise<void>;
  stop(): Promise<void>;
};

const program = fileURLToPath(new URL('links-process.ts', import.meta.url));

export function startLinks(): Links {
  const { call, stop } = startFarEnd(program);
  return {
    open: (place, target) => call('open', place, target),
    set: (place, fate) => call('set', place, fate),
    drop: (place) => call('drop', place),
    stop,
  };
}
