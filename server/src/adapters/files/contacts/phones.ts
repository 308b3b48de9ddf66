import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import { e164 } from '../../../domain/shared/phone-numbers.ts';

/** The country whose national writing a file's numbers and dates have. */
export type Region = CountryCode;

/** A number in E.164, and what was dialed after it. */
export type Phone = { phone: string; extension: string };

const defaultRegion = 'US';
/** `1.21255E+10`: the other digits are gone. */
const rounded = /^\+?\d([.,]\d+)?e\+?\d+$/i;
/** Most numbers in the United States and Canada. Reading these ourselves takes a tenth of the time. */
const northAmerican = /^(?:1[ .-]?)?\(?([2-9]\d\d)\)?[ .-]?([2-9]\d\d)[ .-]?(\d{4})$/;

export function isRegion(text: string): text is Region {
  return isSupportedCountry(text);
}

export function regionOf(phone: string | null): Region {
  return (phone && parsePhoneNumberFromString(phone)?.country) || defaultRegion;
}

/** A number as people and programs write it. Without a country code it is a number of that country. */
export function readPhone(text: string, region: Region): Phone | { why: string } {
  if (e164.test(text)) return { phone: text, extension: '' };
  const [, area, exchange, line] = northAmerican.exec(text) ?? [];
  if (area && isNorthAmerican(region)) return { phone: `+1${area}${exchange}${line}`, extension: '' };
  // `'2125550123`, `="2125550123"` and `2125550123.0` are how spreadsheets write numbers that are texts, and the reverse.
  const plain = text.replace(/^=?["']|["']$|\.0$/g, '');
  if (rounded.test(plain)) return { why: 'a spreadsheet has rounded it' };
  const parsed = parsePhoneNumberFromString(plain, region);
  const isInternational = /^\W*\+/.test(plain);
  // The contract decides what is a number. A library may not know all of them, but a national one must be possible.
  if (parsed && (isInternational || parsed.isPossible()) && e164.test(parsed.number))
    return { phone: parsed.number, extension: parsed.ext ?? '' };
  const digits = isInternational ? plain.replace(/[\s().\-/]/g, '') : '';
  return e164.test(digits) ? { phone: digits, extension: '' } : { why: `it is not a phone number (country ${region})` };
}

function isNorthAmerican(region: Region): boolean {
  return region === 'US' || region === 'CA' || getCountryCallingCode(region) === '1';
}

/** The best number to text has the lowest rank; a fax has none. The label is what a file calls the number. */
export function phoneRank(label: string): number | null {
  if (label === '') return 1;
  if (/fax|pager/i.test(label)) return null;
  if (/mobile|cell|iphone/i.test(label)) return 0;
  if (/home/i.test(label)) return 2;
  return /work|business/i.test(label) ? 3 : 1;
}
