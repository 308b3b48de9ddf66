import { fold } from '../shared/text/folding.ts';

/** In code points; longer words are cut, both in items and in searches. */
const wordLengthMax = 40;

/** Words that don't tell what an item is about. "will" isn't one of them: people make a will. */
const stopWords = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
   could did do does doing don down during each few for from further had has have having he her here hers him his how i
   if in into is it its itself just me more most my no nor not now of off on once only or other our ours out over own s
   same she should so some such t than that the their theirs them then there these they this those through to too under
   until up us very was we were what when where which while who whom why with would you your yours`.split(/\s+/),
);

/** A text's words in order, without case and accents. 401(k) and the like are one word, however they are written. */
export function wordsOf(text: string): string[] {
  const joined = fold(text)
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '') // client's
    .replace(/\b(40[138]|457)[\s(-]*([abk])\b\)?/g, '$1$2') // 401(k), 403-b
    .replace(/(?<![\p{L}\p{N}])(\p{L})-(?=\p{L})/gu, '$1'); // e-mail
  return (joined.match(/[\p{L}\p{N}]+/gu) ?? []).map(cut);
}

/** The words to search for: the meaningful ones, or all if none is. */
export function meaningfulWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))];
  const meaningful = words.filter((word) => !stopWords.has(word));
  return meaningful.length > 0 ? meaningful : words;
}

function cut(word: string): string {
  return word.length <= wordLengthMax ? word : Array.from(word).slice(0, wordLengthMax).join('');
}
