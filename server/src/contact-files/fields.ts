import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { enumerations } from '../domain/shared/enumerations.ts';
import { e164 } from '../domain/shared/phone-numbers.ts';

/** A row or card of a file: where it begins, and what it says, not yet validated. */
export type FileContact = {
  line: number;
  /** As the contract names them. */
  fields: Record<string, unknown>;
  /** Every number it has, in E.164 where it can be one. */
  phones: string[];
  /** Its id and address in the CRM that the file comes from; empty where it says none. */
  remoteContactId: string;
  remoteContactUrl: string;
  /** It stands for several people. */
  isGroup: boolean;
};

/** A row or card that can't even be read; it may take with it what follows, as a quote that is never closed does. */
export type Unreadable = { line: number; unreadable: string; hidesRest: boolean };

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
