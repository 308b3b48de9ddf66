/** What a spreadsheet may compute if a cell begins with it. */
const signs = '=+\\-@＝＋－＠';
/** What a cell begins with that a spreadsheet may compute, or that it takes away before. */
export const formula = new RegExp(`^[${signs}\\t\\r\\n]`);
/** Where commas are for decimals, a spreadsheet splits a line at semicolons: what follows one is a cell, too. */
export const formulaWithin = new RegExp(`(?<=[;\\t])(?=[${signs}])`, 'g');

/** Amounts, and phone numbers as they are shown: a spreadsheet takes them for numbers at worst. */
export const plainNumber = /^[+-]\d+(\.\d+)?$|^\+\d{1,3} [\d ()-]+$/;
