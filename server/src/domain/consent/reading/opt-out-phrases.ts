import { type PhrasesFinder, phrasesFinder } from '../../shared/text/phrases.ts';
import type { TakeTurn } from '../../shared/turns.ts';
import { clearWordings } from './clear-wordings.ts';
import { optOutVocabulary } from './opt-out-vocabulary.ts';
import { possibleWordings } from './possible-wordings.ts';

/** The word stop, but not as a request. Written like clear-wordings.ts, for all words of a reply. */
const harmlessWordings = [
  // Thanks for a compliment, or good news.
  'stop (it)? (you|youre|your|you are) (are)? (too|so|making me|flatter\\w*|killing|embarrass\\w*)',
  '^ (aw|aww|oh) stop (it)? (you)? $',
  '^ stop (it)? thats (so|too|really)? ' +
    '(amazing|great|awesome|hilarious|crazy|incredible|wonderful|fantastic|funny|sweet|kind|nice)',
  // They ask about the word, or take it back.
  '^ what (does|is|happens) (if|when|i|you|the|a|reply|replying|text|texting|to|mean|by|word)* KEYWORD',
  '^ if (i|you) (text|reply|say|send) KEYWORD',
  'wont (reply|text|say|send) KEYWORD',
  '(not going to|(didnt|not) mean to|accidentally) ' +
    '(reply|text|say|send|hit|type|press|replied|texted|said|sent|typed|pressed)? KEYWORD',
  '(replied|texted|said|sent|hit|typed|pressed) KEYWORD (by (mistake|accident)|accidentally)',
  'KEYWORD (\\w+)* (ignore (that|it)|please keep|keep texting|add me back)',
];

/** "Stop calling, text me": they want texts, and no calls or emails. All of these have to be so. */
const callsRefused = {
  wantsTexts: [
    '(just|only|please|instead|can you|but|me) text (me|us|instead|only)',
    'text (me|us) (instead|only|please|here)',
    'text instead',
    '(text|texts|texting) (is|are|works) (fine|better|best|ok|okay|easier|good)',
    '(call|calls|calling|email|emails|emailing) (me)? (please)? (just)? (text|texts) (me|us|only)',
    '(mandeme|mandame|envieme|escribame|escribeme) (un)? (message|text|mejor|por)',
  ],
  ofCalls: ['(calls?|calling|emails?|emailing|mail|llame\\w*)'],
  refusesTexts: [
    '(dont|not|never|stop|quit|no more|no) (ever|send|sending|the)* (text\\w*|messag\\w*)',
    '(unsubscribe|optout|remove|consent)',
  ],
};

const briefWordsMax = 25;
const finders = lazily(() => ({
  clear: finderOf(clearWordings),
  possible: finderOf(possibleWordings),
  aboutTexts: finderOf(['ABOUTTEXTS']),
  refusal: finderOf(['REFUSAL']),
  smallTalk: finderOf(['SMALLTALK']),
  harmless: finderOf(harmlessWordings),
  wantsTexts: finderOf(callsRefused.wantsTexts),
  ofCalls: finderOf(callsRefused.ofCalls),
  refusesTexts: finderOf(callsRefused.refusesTexts),
  alone: finderOf(['^ POLITE* WEAK POLITE* $']),
  notAName: finderOf(['(THING|NOTNAME)']),
}));

/** Whether one of the clauses does, one per line: a call for each takes long if there are hundreds. */
export function saysStop(clauses: string): boolean {
  return finders().clear(clauses);
}

export function maySayStop(clauses: string): boolean {
  return finders().possible(clauses);
}

/** Whether a reply that looks like a stop isn't one: a compliment, a question about the word, "stop calling, text me". */
export function isHarmless(words: string): boolean {
  const { harmless, wantsTexts, ofCalls, refusesTexts } = finders();
  const whole = ` ${words} `;
  return harmless(whole) || (wantsTexts(whole) && ofCalls(whole) && !refusesTexts(whole));
}

/**
 * Whether a reply speaks of texts and refuses something, in words that no phrase foresees. People who refuse in an unusual
 * way are brief, so longer replies have to do both in one clause. Small talk about texts ("I didn't get your text") is exempt.
 */
export function mayRefuseTexts(clauses: string[]): boolean {
  const whole = ` ${clauses.join('').replace(/ +/g, ' ').trim()} `;
  const { aboutTexts, refusal, smallTalk } = finders();
  if (smallTalk(whole)) return false;
  const parts = whole.split(' ').length <= briefWordsMax ? [whole] : clauses;
  return parts.some((part) => aboutTexts(part) && refusal(part));
}

/** A word that means stop only if the message has no other: CANCEL, but not "I can't come. Cancel." */
export function saysStopAlone(words: string): boolean {
  return finders().alone(` ${words} `);
}

/** Whether these words can be the name that a reply is signed with. */
export function mayBeName(words: string): boolean {
  return !finders().notAName(` ${words} `);
}

/** Before somebody writes a reply that needs all of it. */
export async function prepareReplies(turn: TakeTurn): Promise<void> {
  for (const finder of Object.values(finders())) await finder.prepare(turn);
}

function finderOf(phrases: string[]): PhrasesFinder {
  return phrasesFinder(phrases, optOutVocabulary);
}

/** Made at the first reply: most commands never read one. */
function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
