import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import { byCharacter } from './characters.ts';

// Letters that look like a Latin letter, by the table of UTS #39 (Unicode's confusables): Cyrillic а, Greek ο, and 1,300 more.
const lookAlikes: Record<string, string> = confusables;

/** Letters that the table lacks: they look like the Latin letter in lower case only, or are read as it ("стоп", "ΣΤΟΠ"). */
const others: Record<string, string> = {
  ...pairs('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'),
  ...pairs('пπσςτтмквнгилфбдяıøłđðħŋŧþ', 'ppssttmkbnrunfbdriolddhntp'),
  // White letters on black: 🅢 and 🆂.
  ...pairs(lettersFrom(0x1f150), lettersFrom(0x61)),
  ...pairs(lettersFrom(0x1f170), lettersFrom(0x61)),
};
const ligatures: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe' };

const ascii = /^[\t\n\v\f\r\x20-\x7e]*$/;
/** Zero-width, format and control characters, which can hide inside a word. */
export const hidden = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]--[\t\n\v\f\r]]/gv;

/**
 * The text in lower-case Latin letters where people or phones wrote something that looks the same: without accents and
 * invisible characters, with look-alikes replaced. Most texts are ASCII, which is less work.
 */
export function plainLetters(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : plainCharacters(text);
}

const plainCharacters = byCharacter((decomposed, character) => {
  const visible = decomposed.replace(hidden, '');
  // A few signs look like a letter, and what they decompose into doesn't: ˛ is a space and a mark, and looks like i.
  const [shape] = /^[\p{L}\p{N}\p{ASCII}]*$/u.test(visible) && visible !== ' ' ? [] : shapesOf(character);
  return shape ?? visible.replace(/\P{ASCII}/gu, (letter) => shapesOf(letter)[0] ?? letter).toLowerCase();
});

/** All that a letter may be read as, the likeliest first: σ is an s to those who read Greek, and looks like an o. */
export function readingsOf(character: string): string[] {
  const plain = plainLetters(character);
  const letters = [...character.normalize('NFKD').replace(/\p{M}/gu, '')];
  const [letter = ''] = letters;
  return letters.length !== 1 || ascii.test(letter) ? [plain] : [...new Set([plain, ...shapesOf(letter)])];
}

/** The Latin letters that a letter looks like. Some do so in one case only. */
function shapesOf(letter: string): string[] {
  const lower = letter.toLowerCase();
  const found = [letter, letter.toUpperCase(), lower].map((each) => lookAlikes[each]);
  return [others[lower], ligatures[lower], ...found].flatMap((each) =>
    each !== undefined && /^[A-Za-z]+$/.test(each) ? each.toLowerCase() : [],
  );
}

function pairs(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((letter, index) => [letter, to[index] ?? letter]));
}

function lettersFrom(codePoint: number): string {
  return Array.from({ length: 26 }, (_, index) => String.fromCodePoint(codePoint + index)).join('');
}
