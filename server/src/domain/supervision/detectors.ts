import { cardNumbers, socialSecurityNumbers } from './private-numbers.ts';
import type { Reading } from './readings.ts';
import { findOffChannel, findPromise } from './suspect-wordings.ts';

export type Detector = keyof typeof detectors;

/** What a lexicon's rule can look for without phrases of its own. Each returns what it found. */
export const detectors = {
  card_number: ({ digits }: Reading) => firstOf(cardNumbers(digits())),
  social_security_number: ({ digits }: Reading) => firstOf(socialSecurityNumbers(digits())),
  promise_of_returns: findPromise,
  off_channel: findOffChannel,
} as const satisfies Record<string, (text: Reading) => string | null>;

export const detectorNames = Object.keys(detectors) as Detector[];

function firstOf(found: Iterator<string>): string | null {
  return found.next().value ?? null;
}
