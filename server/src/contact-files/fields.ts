import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { enumerations } from '../domain/shared/enumerations.ts';
import { e164 } from '../domain/shared/phone-numbers.ts';

/** A row or card of a file: the line it begins on and its fields, not yet validated. */
export type FileContact = {
  line: number;
  /** By the contract's names. */
  fields: Record<string, unknown>;
  /** Every number, in E.164 if possible. */
  phones: string[];
  /** Its id and address in the CRM that the file comes from; empty if there is none. */
  remoteContactId: string;
  remoteContactUrl: string;
  /** A card for several people. */
  isGroup: boolean;
};

/** A row or card that can't be read. It may hide those that follow it, as a quotation mark that is never closed does. */
export type Unreadable = { line: number; unreadable: string; hidesRest: boolean };

export type Region = CountryCode;

export function isRegion(text: string): text is Region {
  return isSupportedCountry(text);
}

/** A number as people write it, in E.164; other text stays as it is, so that validation can report it. */
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

/** An enumeration's value, given by number or by word. */
export function toNumber(name: 'gender' | 'maritalStatus', text: string): number | string {
  if (/^\d+$/.test(text)) return Number(text);
  const found = Object.entries(enumerations[name]).find(([, word]) => word.toLowerCase() === text.toLowerCase());
  return found ? Number(found[0]) : text;
}
