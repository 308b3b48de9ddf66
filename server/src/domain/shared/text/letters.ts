import confusables from 'unhomoglyph/data.json' with { type: 'json' };

// Letters that look like a Latin letter, by the table of UTS #39 (Unicode's confusables): Cyrillic а, Greek ο, and 1,300 more.
const lookAlikes: Record<string, string> = confusables;

/** Letters that the table lacks: they look like the Latin letter in lower case only, or are read as it ("стоп", "ΣΤΟΠ"). */
const others = pairs({
  ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ: 'abcdefghijklmnoprstuvwyz',
  пπσςτтмквнгилфбдяıøłđðħŋŧþ: 'ppssttmkbnrunfbdriolddhntp',
});
const ligatures: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe' };

const ascii = /^[\t\n\v\f\r\x20-\x7e]*$/;
/** Zero-width, format and control characters, which can hide inside a word. */
export const hidden = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]--[\t\n\v\f\r]]/gv;

/**
 * The text in lower-case Latin letters where people or phones wrote something that looks the same: without accents and
 * invisible characters, with look-alikes replaced. Most texts are ASCII, which is less work.
 */
export function plainLetters(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(hidden, '')
    .replace(/\P{ASCII}/gu, latinOf)
    .toLowerCase();
}

function latinOf(letter: string): string {
  const lower = letter.toLowerCase();
  const known = others[lower] ?? ligatures[lower];
  if (known) return known;
  // Some letters look Latin in one case only.
  const found = [letter, letter.toUpperCase(), lower].map((each) => lookAlikes[each]);
  return found.find((each) => each !== undefined && /^[A-Za-z]+$/.test(each)) ?? letter;
}

function pairs(rows: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([from, to]) => [...from].map((letter, index) => [letter, to[index] ?? letter])),
  );
}
