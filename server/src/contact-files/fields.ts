import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { enumerations } from '../domain/enumerations.ts';
import { e164 } from '../domain/phone-numbers.ts';

/** A row or card of a file: where it begins, and its fields as the contract names them, not yet validated. */
export type FileContact = { line: number; fields: Record<string, unknown> };

/** A row or card that can't even be read. */
export type Unreadable = { line: number; unreadable: string };

export type Region = CountryCode;

export function isRegion(text: string): text is Region {
  return isSupportedCountry(text);
}

/** A number as people write it, in E.164; what can't be one stays as it is, for the rule to name. */
export function toE164(text: string, region: Region): string {
  if (text === '' || e164.test(text)) return text;
  return parsePhoneNumberFromString(text, region)?.number ?? text;
}

/** A date as files write it: 1961-07-14, 19610714, and in the United States 7/14/1961. */
export function toDate(text: string, region: Region): string {
  const basic = /^(\d{4})(\d{2})(\d{2})(T.*)?$/.exec(text);
  if (basic) return `${basic[1]}-${basic[2]}-${basic[3]}`;
  const withTime = /^(\d{4}-\d{2}-\d{2})T/.exec(text);
  if (withTime) return withTime[1] ?? text;
  const [, month, day, year] = (region === 'US' && /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)) || [];
  return year && month && day ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
}

/** A numbered value by its number or its word. */
export function toNumber(name: 'gender' | 'maritalStatus', text: string): number | string {
  if (/^\d+$/.test(text)) return Number(text);
  const found = Object.entries(enumerations[name]).find(([, word]) => word.toLowerCase() === text.toLowerCase());
  return found ? Number(found[0]) : text;
}
