import { readReply } from '../../src/domain/consent/reading/reply-words.ts';
import { meaningfulWords } from '../../src/domain/content/content-words.ts';
import { searchText, searchWords } from '../../src/domain/shared/text/folding.ts';
import { textLengthMax } from '../../src/domain/shared/text/text-rules.ts';
import { matcherOf, type Rule } from '../../src/domain/supervision/lexicon-matching.ts';
import { defaultLexicon } from '../../src/domain/supervision/lexicons.ts';
import { segmentsOf } from '../../src/domain/texting/segments.ts';
import { queryKeys, searchKeys } from '../../src/store/address-book/search-keys.ts';

/** As many phrases as a lexicon takes, most of them beginning like one another. */
const fullLexicon: Rule[] = Array.from({ length: 100 }, (_, rule) => ({
  name: `Rule ${rule}`,
  action: 'flag',
  phrases: Array.from({ length: 20 }, (_, words) => (rule % 2 ? 'a ' : 'صلى ').repeat(words + 1)),
}));

const first = (text: string, length: number) => [...text.slice(0, 2 * length)].slice(0, length).join('');

/** All that the server does with a text that somebody wrote, in JavaScript. */
export const judgments: Record<string, (text: string) => unknown> = {
  'a reply': readReply,
  'a text by our lexicon': matcherOf(defaultLexicon.rules),
  'a text by a full lexicon': matcherOf(fullLexicon),
  'a text’s segments': (text) => {
    // Otherwise it would know the count of the text before.
    segmentsOf('');
    segmentsOf(first(text, textLengthMax));
  },
  'a search of contacts': (text) => queryKeys(searchWords(first(text, 500))),
  'a search of content': (text) => meaningfulWords(first(text, 150)),
  'a contact’s names': (text) =>
    searchKeys(searchText([first(text, 200), first(text, 200), first(text, 254)], '+12125550123')),
};

/** Pieces of texts that once took long, or may. */
export const hostile = {
  'a ligature of 18 characters': 'ﷺ',
  'a sign of six letters': '㎯',
  'numbers in brackets': '⑽',
  'number signs': '#',
  'number signs and spaces': '# ',
  digits: '4',
  'digits and spaces': '4 ',
  'digits and dashes': '1-',
  'card numbers that are none': '4111 1111 1111 1112 ',
  'social-security numbers that are none': 'social 12345678 ',
  marks: '\u0301',
  'marks out of order': '\u0301\u0323',
  syllables: '각',
  'look-alike letters': 'стоп ',
  'letters with two readings': 'σιν ',
  'words of letters with two readings': 'ΊϒΥινσ ΝϔΪϋίΰ ',
  emoji: '👨‍👩‍👧‍👦',
  'the highest character': '\u{10ffff}',
  'many clauses': 'on a\n',
  'words that are nearly ours': 'intend, hearing, ',
  'words without a phrase': 'dont want to get any of ',
  'promises that are none': 'not guaranteed returns ',
  'a promise without its object': 'guaranteed a of the your ',
  'a move without a place': 'lets take this ',
  'a request without an app': 'text me it this that ',
  'words of one letter': 'a ',
};
