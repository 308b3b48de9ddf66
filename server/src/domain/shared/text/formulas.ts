const signs = '=+\\-@＝＋－＠';
/** What a cell begins with that a spreadsheet may compute, or that it takes away before. An apostrophe may stand there already. */
const beginning = new RegExp(`^'*[${signs}\\t\\r\\n]`);
/** Where commas are for decimals, a spreadsheet splits a line at semicolons: what follows one is a cell, too. */
const within = new RegExp(`(?<=[;\\t\\r\\n])(?='*[${signs}])`, 'g');
const guardWithin = new RegExp(`(?<=[;\\t\\r\\n])'(?='*[${signs}])`, 'g');

/** Amounts, and phone numbers as they are shown: a spreadsheet takes them for numbers at worst. */
export const plainNumber = /^[+-]\d+(\.\d+)?$|^\+\d{1,3} [\d ()-]+$/;

/** A cell that no spreadsheet computes: there is an apostrophe before what looks like a formula. */
export function guarded(text: string): string {
  if (plainNumber.test(text)) return text;
  return (beginning.test(text) ? `'${text}` : text).replace(within, "'");
}

/** The text that was guarded. */
export function unguarded(cell: string): string {
  const text = cell.replace(guardWithin, '');
  return text.startsWith("'") && beginning.test(text.slice(1)) ? text.slice(1) : text;
}
