export { nameOf } from '../../examiner/entries.mjs';

/** Something that is not as it was signed: altered, inserted or moved; or missing; or why nobody can tell. */
export type Fault = { verdict: 'altered' | 'incomplete' | 'unknown'; entry: string; what: string };

/** No more are reported, and nothing more is looked for. */
export const faultsMax = 20;

export function altered(entry: string, what: string): Fault {
  return { verdict: 'altered', entry, what };
}

export function gone(entry: string, what: string): Fault {
  return { verdict: 'incomplete', entry, what };
}
