/** In code points. */
export const textLengthMax = 1_600;
/** At most this many texts wait for one person to consent. */
export const waitingMax = 10;

const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
const controlCharacter = /[\p{Cc}--[\t\n\r]]/v;

/** Whether nothing is visible: only whitespace, zero-width and format characters. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** Whether it has a C0, DEL or C1 character that a text can't contain: any but tab, line feed and carriage return. */
export function hasControlCharacters(text: string): boolean {
  return controlCharacter.test(text);
}

/** A text that PostgreSQL can store: the replacement character shows where NUL or half a character was, and an ellipsis that it was cut. */
export function storable(text: string, lengthMax = Number.POSITIVE_INFINITY): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd');
  return clean.length > lengthMax ? `${clean.slice(0, lengthMax - 1).toWellFormed()}…` : clean;
}

/** The text, or its beginning and its end if it is too long to read: that is where people say what they want. */
export function endsOf(text: string, lengthMax = textLengthMax): string {
  if (text.length <= lengthMax || (text.length <= 2 * lengthMax && [...text].length <= lengthMax)) return text;
  const length = Math.floor((lengthMax - 1) / 2);
  const [beginning, end] = [
    [...text.slice(0, 2 * length)].slice(0, length),
    [...text.slice(-2 * length)].slice(-length),
  ];
  return `${beginning.join('')}\n${end.join('')}`;
}

/** Texts of ours are listed whole: only a person's can be longer. */
const listedLengthMax = 2 * textLengthMax;

/**
 * As much of a text as a list shows, before numbers are hidden in it. Digits at its end would be a part of a number that nobody finds in
 * it: they are left out.
 */
export function listedText(text: string): string {
  if (text.length <= listedLengthMax) return text;
  let end = listedLengthMax;
  for (let at = listedLengthMax - 1; at >= 0 && !/\p{L}/u.test(text.charAt(at)); at--)
    if (/[\p{Nd}\p{No}]/u.test(text.charAt(at))) end = at;
  return `${text.slice(0, end).toWellFormed().trimEnd()}…`;
}

/**
 * One @ with something on both sides, a dot in the domain, no white space. What stands before the first dot has none: were it any
 * character, a long domain that is none would take time with the square of its length.
 */
export const emailPattern = '^[^\\s@]+@[^\\s@.]*\\.[^\\s@]*$';

export const emailAddress = new RegExp(emailPattern);
