import { phrasesPattern } from '../../shared/text/phrases.ts';
import { clearWordings } from './clear-wordings.ts';
import { callsRefused, harmlessWordings } from './harmless-wordings.ts';
import { optOutVocabulary } from './opt-out-vocabulary.ts';
import { possibleWordings } from './possible-wordings.ts';

const briefWordsMax = 25;
// A pattern for each: one pattern of all would try every alternative at every word, up to ten times slower.
const patterns = lazily(() => ({
  clear: clearWordings.map(patternOf),
  possible: possibleWordings.map(patternOf),
  aboutTexts: patternOf('ABOUTTEXTS'),
  refusal: patternOf('REFUSAL'),
  smallTalk: patternOf('SMALLTALK'),
  harmlessWordings: harmlessWordings.map(patternOf),
  wantsTexts: callsRefused.wantsTexts.map(patternOf),
  ofCalls: callsRefused.ofCalls.map(patternOf),
  refusesTexts: callsRefused.refusesTexts.map(patternOf),
  alone: patternOf('^ POLITE* WEAK POLITE* $'),
  notAName: patternOf('(THING|NOTNAME)'),
}));

/** Whether one of the clauses does, one per line: a call for each takes long if there are hundreds. */
export function saysStop(clauses: string): boolean {
  return patterns().clear.some((pattern) => clauses.search(pattern) >= 0);
}

export function maySayStop(clauses: string): boolean {
  return patterns().possible.some((pattern) => clauses.search(pattern) >= 0);
}

/** Whether a reply that looks like a stop isn't one: a compliment, a question about the word, "stop calling, text me". */
export function isHarmless(words: string): boolean {
  const { harmlessWordings, wantsTexts, ofCalls, refusesTexts } = patterns();
  const says = (list: RegExp[]) => list.some((pattern) => ` ${words} `.search(pattern) >= 0);
  return says(harmlessWordings) || (says(wantsTexts) && says(ofCalls) && !says(refusesTexts));
}

/**
 * Whether a reply speaks of texts and refuses something, in words that no phrase foresees. People who refuse in an unusual
 * way are brief, so longer replies have to do both in one clause. Small talk about texts ("I didn't get your text") is exempt.
 */
export function mayRefuseTexts(clauses: string[]): boolean {
  const whole = ` ${clauses.join('').replace(/ +/g, ' ').trim()} `;
  const { aboutTexts, refusal, smallTalk } = patterns();
  if (whole.search(smallTalk) >= 0) return false;
  const parts = whole.split(' ').length <= briefWordsMax ? [whole] : clauses;
  return parts.some((part) => part.search(aboutTexts) >= 0 && part.search(refusal) >= 0);
}

/** A word that means stop only if the message has no other: CANCEL, but not "I can't come. Cancel." */
export function saysStopAlone(words: string): boolean {
  return ` ${words} `.search(patterns().alone) >= 0;
}

/** Whether these words can be the name that a reply is signed with. */
export function mayBeName(words: string): boolean {
  return ` ${words} `.search(patterns().notAName) < 0;
}

function patternOf(phrase: string): RegExp {
  return phrasesPattern([phrase], optOutVocabulary);
}

/** Made at the first reply: most commands never read one. */
function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
