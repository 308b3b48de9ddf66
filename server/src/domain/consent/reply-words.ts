import { fold } from '../shared/folding.ts';
import { hidden } from '../shared/letters.ts';
import { mayBeName, maySayStop, saysStop, saysStopAlone } from './opt-out-phrases.ts';
import { replyClauses } from './reply-spelling.ts';

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

/** How a phone reports that somebody reacted to a text, with the text in quotes. */
const reaction =
  /^\s*(?:liked|loved|disliked|laughed at|emphasi[sz]ed|questioned|reacted .{1,20} to|removed an? .{1,20} from|le gustó|le encantó)\s+[“"«‘'].*$/isu;
const quoteHeader = /^[ \t]*(?:on .{5,80} wrote:|-{2,}[ \t]*original message.*|el .{5,80} escribió:)[\s\S]*$/imu;
const sentFrom =
  /\b(?:sent|enviado) (?:from|via|with|desde) (?:my |mi )?(?:iphone|ipad|android|galaxy|samsung|mobile|phone|verizon|at&t|t-mobile|outlook).*$/isu;
const signatureBlock = /^--[ \t]*$[\s\S]*/mu;
/** A keyword before a name: "STOP John Smith", "Stop. Thank you, Linda". */
const signedKeywords =
  /^(?:stop|stopall|stop all|unsubscribe|opt ?out|remove me|quit|cancel|end)(?: (?:thanks|thank you|thx|please|pls|from|this is|love|best|regards))* /;
const nameWordsMax = 3;
/** "Stop, you flatter me" is thanks. */
const flattered =
  /\bstop (?:it )?(?:you|youre|your|you are) (?:too|so|making me|flatter|killing|embarrass|are too|are so)/;
const laughing = /😂|🤣|😆|😅|😜|😉|❤|🥰|😘|\b(?:lol|lmao|haha+|hehe|jk)\b/iu;
/** Nothing but signs that say stop. */
const stopSigns = /^(?=\s*[🛑⛔🚫✋])(?:[\s🛑⛔🚫✋]|\ufe0f)+$/u;

/**
 * What a person's reply means. A keyword that is the whole message opts out; so does wording that a reasonable person reads
 * as stop, which the firm reviews. Wording that may mean stop holds every text to the person until a reviewer decides.
 */
export function readReply(text: string): ReplyMeaning {
  const whole = wholeReplies.get(exactWords(text));
  if (whole !== undefined) return whole;
  if (reaction.test(text)) return 'other';
  const own = ownWords(text);
  const exact = exactWords(own);
  const keyword = wholeReplies.get(exact);
  if (keyword !== undefined) return keyword;
  const clauses = replyClauses(own);
  const words = clauses.join('').replace(/ +/g, ' ').trim();
  if ([words, joined(words), joined(exact), withoutLastNumbers(words)].some(isKeyword)) return 'opt_out_wording';
  if (isSigned(own) || (clauses.length <= 2 && saysStopAlone(words))) return 'opt_out_wording';
  if (flattered.test(words)) return 'other';
  const isJoke = laughing.test(own);
  if (clauses.some(saysStop)) return isJoke && !/text|messag/.test(words) ? 'possible_opt_out' : 'opt_out_wording';
  return !isJoke && (stopSigns.test(own) || clauses.some(maySayStop)) ? 'possible_opt_out' : 'other';
}

/** The text without what the phone added: quoted texts, signatures, "Sent from my iPhone". The whole text if that is all. */
function ownWords(text: string): string {
  const own = text
    .split(/\r\n|[\n\r]/)
    .filter((line) => !/^\s*>/.test(line))
    .join('\n')
    .replace(quoteHeader, '')
    .replace(sentFrom, '')
    .replace(signatureBlock, '');
  return own.trim() === '' ? text : own;
}

/** The words as they are, without case, accents, invisible characters and punctuation. */
function exactWords(text: string): string {
  return fold(text)
    .replace(hidden, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}

function isKeyword(words: string): boolean {
  return wholeReplies.get(words) === 'opt_out';
}

function joined(words: string): string {
  return words.replaceAll(' ', '');
}

function withoutLastNumbers(words: string): string {
  const list = words.split(' ');
  return list.slice(0, list.findLastIndex((word) => !/^\d+$/.test(word)) + 1).join(' ');
}

function isSigned(text: string): boolean {
  const words = exactWords(text);
  const keyword = signedKeywords.exec(`${words} `)?.[0];
  if (keyword === undefined) return false;
  const name = words.slice(keyword.length);
  const count = name.split(' ').length;
  return name !== '' && count <= nameWordsMax && isCapitalized(text, count) && mayBeName(name);
}

/** Whether the first of the last words is capitalized. */
function isCapitalized(text: string, lastWords: number): boolean {
  const words = text.normalize('NFKC').match(/\p{L}+/gu) ?? [];
  return /^\p{Lu}/u.test(words.at(-lastWords) ?? '');
}
