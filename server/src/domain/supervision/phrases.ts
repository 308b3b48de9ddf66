/** The words that phrases write in capitals, each with the ways in which people say it. */
export type Vocabulary = Record<string, string>;

/**
 * One pattern of many phrases, for a reading. A phrase is looked for within a clause: ^ and $ are its ends, * is up to six
 * of the word, !WORD at the end is what must not come next. Repeats are bounded, so that time grows with the text only.
 */
export function phrasesPattern(phrases: string[], vocabulary: Vocabulary): RegExp {
  return new RegExp(phrases.map((phrase) => phraseSource(phrase, vocabulary)).join('|'), 'gm');
}

function phraseSource(phrase: string, vocabulary: Vocabulary): string {
  const parts = phrase.split(' ').map((part) => {
    if (part === '^' || part === '$') return part;
    const [, not, word = '', star] = /^(!?)(\w+)(\*?)$/.exec(part) ?? [];
    const alternatives = /^[A-Z]/.test(word) ? vocabulary[word] : word;
    if (alternatives === undefined) throw new Error(`No words for ${part} in "${phrase}".`);
    return not ? `(?!(?:${alternatives}) )` : `(?:(?:${alternatives}) )${star ? '{0,6}' : ''}`;
  });
  const start = parts[0] === '^' ? `${parts.shift()} ` : ' ';
  return start + parts.join('');
}
