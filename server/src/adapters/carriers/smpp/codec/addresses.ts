import type { AddressType, SmppSettings } from '../options.ts';
import type { SmppAddress } from './bodies.ts';

type AddressSettings = Pick<SmppSettings, 'plusSign' | 'callingCode' | 'unknownType'>;

const types = { unknown: 0, international: 1, national: 2 } as const;
/** Short codes have at most six digits and no country. */
const shortCodeDigitsMax = 6;
/** A number of North America, whose calling code is 1, with that code or without. */
const northAmerican = /^1?([2-9]\d{2}[2-9]\d{6})$/;

export function writeAddress(phone: string, { ton, npi }: AddressType, { plusSign }: AddressSettings): SmppAddress {
  return { ton, npi, digits: !plusSign && phone.startsWith('+') ? phone.slice(1) : phone };
}

/** In E.164, if it is a number with a country. Short codes and names stay as they are. */
export function readAddress({ ton, digits }: SmppAddress, { callingCode, unknownType }: AddressSettings): string {
  const text = digits.trim();
  if (!/^\+?\d+$/.test(text)) return text;
  if (text.startsWith('+')) return text;
  if (ton === types.international) return `+${text}`;
  if (text.length <= shortCodeDigitsMax) return text;
  if (ton !== types.national && ton !== types.unknown) return text;
  // SMSCs there write these in both ways, whatever type they say.
  const subscriber = callingCode === '1' ? northAmerican.exec(text)?.[1] : undefined;
  if (subscriber) return `+1${subscriber}`;
  return ton === types.national || unknownType === 'national' ? `+${callingCode}${text}` : `+${text}`;
}
