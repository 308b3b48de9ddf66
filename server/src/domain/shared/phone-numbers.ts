/** The contract's E.164: a plus sign, a digit 1-9, then 7 to 14 more digits. This alone decides what is a phone number. */
export const e164Pattern = '^\\+[1-9][0-9]{7,14}$';
export const e164 = new RegExp(e164Pattern);

/** Mobile phones of Mexico and Argentina have two forms: carriers add the 1 or the 9, or leave it out. */
const mobile = /^(?:(\+52)(1?)|(\+54)(9?))(\d{10})$/;

/** Longer than any number, however it is written. */
const writtenLengthMax = 64;
/** With what is around it, which takes time with the square of its length to remove. */
const givenLengthMax = 1_000;
const surroundings = /^[\s\p{C}]+|[\s\p{C}]+$/gu;
const separators = /[\s\p{Default_Ignorable_Code_Point}\p{Dash}.()]/gu;

/** A number as a carrier writes it, in E.164; null if it is none. Full-width digits, `tel:` and what people put between digits don't matter. */
export function readNumber(written: string): string | null {
  if (written.length > givenLengthMax) return null;
  const trimmed = written.replace(surroundings, '');
  if (trimmed.length > writtenLengthMax) return null;
  const phone = trimmed.normalize('NFKC').replace(/^tel:/i, '').replace(separators, '');
  return e164.test(phone) ? phone : null;
}

/** The other form of the same phone, if it has two. */
export function otherFormOf(phone: string): string | null {
  const [, mexico, one, argentina, nine, rest] = mobile.exec(phone) ?? [];
  if (mexico) return `${mexico}${one ? '' : '1'}${rest}`;
  return argentina ? `${argentina}${nine ? '' : '9'}${rest}` : null;
}

/** A number, and the other form of its phone. */
export function formsOf(phone: string): string[] {
  const other = otherFormOf(phone);
  return other ? [phone, other] : [phone];
}
