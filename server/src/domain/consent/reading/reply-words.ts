import { byCharacter } from '../../shared/text/characters.ts';
import { fold } from '../../shared/text/folding.ts';
import { hidden } from '../../shared/text/letters.ts';
import { endsOf, textLengthMax } from '../../shared/text/text-rules.ts';
import { isHarmless, mayBeName, mayRefuseTexts, maySayStop, saysStop, saysStopAlone } from './opt-out-phrases.ts';
import { isMistyped, replyClauses } from './reply-spelling.ts';

export type ReplyMeaning =
  | 'opt_out'
  | 'opt_out_wording'
  | 'possible_opt_out'
  | 'opt_in'
  | 'accept'
  | 'decline'
  | 'help'
  | 'other';

/** Words that count when they are the whole message. Punctuation between words reads as a space: OPT-OUT is "opt out". */
const wholeReplies = new Map<string, ReplyMeaning>([
  ['stop', 'opt_out'],
  ['stopall', 'opt_out'],
  ['stop all', 'opt_out'],
  ['unsubscribe', 'opt_out'],
  ['cancel', 'opt_out'],
  ['end', 'opt_out'],
  ['quit', 'opt_out'],
  ['revoke', 'opt_out'],
  ['optout', 'opt_out'],
  ['opt out', 'opt_out'],
  ['remove', 'opt_out'],
  ['start', 'opt_in'],
  ['unstop', 'opt_in'],
  ['accept', 'accept'],
  ['yes', 'accept'],
  ['y', 'accept'],
  ['no', 'decline'],
  ['help', 'help'],
  ['info', 'help'],
]);

/** Keywords that count in any spelling that is nearly right when they are the whole message. */
const mistypedKeywords =
  'stop stopall unsubscribe cancel remove revoke optout end quit alto pare baja basta cancelar'.split(' ');
const mistypedMax = 30;
/** Of a keyword and the name that it may be signed with. */
const exactLengthMax = 200;

/** How a phone reports that somebody reacted to a text, with the text in quotes. Their own words may follow. */
const reaction =
  /^\s*(?:liked|loved|disliked|laughed at|emphasi[sz]ed|questioned|reacted .{1,20} to|removed an? .{1,20} from|(?:no )?le gustó|le encantó|se rió de|enfatizó|cuestionó|reaccionó .{1,20} a|\P{L}{1,10} (?:to|a))\s+([“"«‘'])/isu;
/** What ends a quotation, by what begins it: not an apostrophe. */
const closingQuotes: Record<string, RegExp> = {
  '“': /[”"]/g,
  '"': /[”"]/g,
  '«': /»/g,
  '‘': /[’'](?!\p{L})/gu,
  "'": /[’'](?!\p{L})/gu,
};
const quoteHeader =
  /^[ \t]*(?:on .{5,80} wrote:|-{2,}[ \t]*(?:original|forwarded) message.*|el .{5,80} escribió:|(?:from|de): .*)[\s\S]*$/imu;
const sentFrom =
  /\b(?:sent|enviado) (?:from|via|with|desde) (?:my |mi )?(?:iphone|ipad|android|galaxy|samsung|pixel|motorola|mobile|cell|phone|verizon|at&t|t-mobile|outlook|yahoo|gmail|mail\b|blackberry|tablet).*$|^[ \t]*(?:sent|enviado) (?:from|via|with|desde) .*$/imsu;
/** Our own texts say how to stop. People quote that line. */
const footerWords = String.raw`(?:reply|text|txt|send|respond|responda|envíe|envie)(?: with)? ["'“]?(?:stop|alto|parar)["'”]? (?:to|2|para)\b`;
const quotedFooter = new RegExp(`[“"«][^“”"«»]{0,${textLengthMax}}${footerWords}[^“”"«»]{0,400}[”"»]`, 'giu');
const footer = new RegExp(String.raw`(?<=[.!?\n]\s{0,3})${footerWords}[^.\n]{0,100}(?:\.|\n|$)`, 'giu');
const signatureBlock = /^--[ \t]*$[\s\S]*/mu;
/** A keyword before a name: "STOP John Smith", "Stop. Thank you, Linda". */
const signedKeywords =
  /^(?:stop|stopall|stop all|unsubscribe|opt ?out|remove me|quit|cancel|end)(?: (?:thanks|thank you|thx|please|pls|from|this is|love|best|regards))* /;
const nameWordsMax = 3;
const laughing = /😂|🤣|😆|😅|😜|😉|❤|🥰|😘|\b(?:lol|lmao|haha+|hehe|jk)\b/iu;
/** Somebody else has the number: "I'm not Bob", "No Bob here". */
const otherPerson =
  /\b(?:[Tt]his is(?:n['’]?t| not)|[Ii]['’]?m not|I am not|[Nn]o soy)\s+(?:M(?:r|rs|s)\.? )?(?!I\b)\p{Lu}\p{Ll}+\s*(?:[.,!?]|$)|\b[Nn]o\s+\p{Lu}\p{Ll}+ (?:here|at this)/u;
/** Nothing but signs that say stop. */
const stopSigns = /^(?=\s*[🛑⛔🚫✋📵❌🖕])(?:[\s🛑⛔🚫✋📵❌🖕📱📲💬📩✉🙏]|\ufe0f|please|pls|plz)+$/iu;

/**
 * What a person's reply means. A keyword that is the whole message opts out; so does wording that a reasonable person reads
 * as stop, which the firm reviews. Wording that may mean stop holds every text to the person until a reviewer decides, and so
 * does a reply that is too long to read as a whole: the rest of it may say stop.
 */
export function readReply(text: string): ReplyMeaning {
  const read = endsOf(text);
  return readAs(meaningOf(read), read === text);
}

function readAs(meaning: ReplyMeaning, isWhole: boolean): ReplyMeaning {
  if (isWhole || meaning === 'opt_out_wording') return meaning;
  return meaning === 'opt_out' ? 'opt_out_wording' : 'possible_opt_out';
}

function meaningOf(text: string): ReplyMeaning {
  const given = exactWords(text);
  const whole = wholeReplies.get(given);
  if (whole !== undefined) return whole;
  const own = ownWords(withoutReaction(text));
  const exact = own === text ? given : exactWords(own);
  const keyword = wholeReplies.get(exact);
  if (keyword !== undefined) return keyword;
  const { clauses, isWhole } = replyClauses(own);
  return readAs(wordingOf(own, exact, clauses), isWhole);
}

function wordingOf(own: string, exact: string, clauses: string[]): ReplyMeaning {
  const lines = clauses.join('\n');
  const words = clauses.join('').replace(/ +/g, ' ').trim();
  if ([words, joined(words), joined(exact), withoutLastNumbers(words)].some(isKeyword)) return 'opt_out_wording';
  if (isMistypedKeyword(joined(exact)) || isMistypedKeyword(joined(words))) return 'opt_out_wording';
  if (isSigned(own, exact) || (clauses.length <= 2 && saysStopAlone(words))) return 'opt_out_wording';
  if (isHarmless(words) && !clauses.some(asksNoTexts)) return 'other';
  const isJoke = laughing.test(own);
  if (saysStop(lines)) return isJoke && !/text|messag/.test(words) ? 'possible_opt_out' : 'opt_out_wording';
  return !isJoke && (stopSigns.test(own) || otherPerson.test(own) || maySayStop(lines) || mayRefuseTexts(clauses))
    ? 'possible_opt_out'
    : 'other';
}

/** Some other clause is about texts and says stop: "What does STOP do? Take me off your list." */
function asksNoTexts(clause: string): boolean {
  return (
    /text|messag|sms|unsubscribe|optout|remove|list|contact/.test(clause) &&
    saysStop(clause) &&
    !isHarmless(clause.trim())
  );
}

/** What follows a quoted text that somebody reacted to; all of a text that is no reaction. A quotation may have no end. */
function withoutReaction(text: string): string {
  const quote = reaction.exec(text);
  if (!quote) return text;
  const quoted = text.slice(quote[0].length);
  const end = [...quoted.matchAll(closingQuotes[quote[1] ?? ''] ?? /$/g)].at(-1)?.index;
  return end === undefined ? '' : quoted.slice(end + 1);
}

/** The text without what the phone added: quoted texts, signatures, "Sent from my iPhone". The whole text if that is all. */
function ownWords(text: string): string {
  const own = text
    .split(/\r\n|[\n\r]/)
    .filter((line) => !/^\s*>/.test(line))
    .join('\n')
    .replace(quoteHeader, '')
    .replace(sentFrom, '')
    .replace(signatureBlock, '')
    .replace(quotedFooter, '')
    .replace(footer, '');
  return own.trim() === '' ? text : own;
}

/** The words as they are, without case, accents, invisible characters and punctuation. None if they are too many for a keyword. */
function exactWords(text: string): string {
  const words = exactCharacters(text).replace(/ {2,}/g, ' ').trim();
  return words.length <= exactLengthMax ? words : '';
}

const exactCharacters = byCharacter((decomposed) =>
  fold(decomposed)
    .replace(hidden, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' '),
);

function isKeyword(words: string): boolean {
  return wholeReplies.get(words) === 'opt_out';
}

function isMistypedKeyword(letters: string): boolean {
  return letters.length <= mistypedMax && mistypedKeywords.some((keyword) => isMistyped(letters, keyword));
}

function joined(words: string): string {
  return words.replaceAll(' ', '');
}

function withoutLastNumbers(words: string): string {
  const list = words.split(' ');
  return list.slice(0, list.findLastIndex((word) => !/^\d+$/.test(word)) + 1).join(' ');
}

function isSigned(text: string, exact: string): boolean {
  const words = withoutLastNumbers(exact);
  const keyword = signedKeywords.exec(`${words} `)?.[0];
  if (keyword === undefined) return false;
  const name = words.slice(keyword.length);
  const count = name.split(' ').length;
  return name !== '' && count <= nameWordsMax && isCapitalized(text, count) && mayBeName(name);
}

function isCapitalized(text: string, lastWords: number): boolean {
  // Without marks, whose order takes long to normalize.
  const words =
    text
      .replace(/\p{M}/gu, '')
      .normalize('NFKC')
      .match(/\p{L}+/gu) ?? [];
  return /^\p{Lu}/u.test(words.at(-lastWords) ?? '');
}
