import { BoundedMap } from '../bounded-map.ts';

/**
 * Rewrites a text character by character, as `rewrite` does each one's compatibility decomposition (NFKD) without marks.
 * Normalizing a text as a whole also sorts its marks, which takes quadratic time for a long run of them, although they
 * are removed. A character that is known costs a lookup, whatever it expands to: U+FDFA is 18 characters.
 */
export function byCharacter(rewrite: (decomposed: string, character: string) => string): (text: string) => string {
  const known = new BoundedMap<string, string>();

  function rewritten(character: string): string {
    const made = rewrite(character.normalize('NFKD').replace(/\p{M}/gu, ''), character);
    known.set(character, made);
    return made;
  }

  return (text) => {
    let made = '';
    for (const character of text) made += known.get(character) ?? rewritten(character);
    return made;
  };
}
