/** The contract's E.164: a plus sign, a digit 1-9, then 7 to 14 more digits. This alone decides what is a phone number. */
export const e164Pattern = '^\\+[1-9][0-9]{7,14}$';
export const e164 = new RegExp(e164Pattern);
