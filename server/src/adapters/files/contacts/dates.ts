import type { FieldValue } from './fields.ts';
import type { Region } from './phones.ts';

type DateField = 'birthDate' | 'clientAnniversary';
type Order = 'day first' | 'month first' | 'unclear';

const noYear: FieldValue<string> = { why: 'it has no year' };
const unclearYear: FieldValue<string> = { why: 'its year could be in two centuries' };
const notDate: FieldValue<string> = { why: 'it is not a date' };
/** Nobody is older, and nobody has been a client for longer. */
const yearsMax: Record<DateField, number> = { birthDate: 110, clientAnniversary: 80 };
/** Apple's year for a birthday without one: a leap year before there were calendars like ours. */
const appleNoYear = 1604;
/** Outlook's year for no date at all. */
const outlookNoDate = 4501;

/** `Wednesday, September 30, 1961 12:00:00.000 AM GMT+01:00` has 53 characters. */
const dateLengthMax = 100;
const timeOfDay = /[ T]+\d{1,2}:\d{2}.*$/;
const yearFirst = /^(\d{4})([-/.]?)(\d{2})\2(\d{2})$|^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const dayMonthYear = /^(\d{1,2})[ .-]*([a-z]{3,9})\.?[ ,-]*(\d{4}|\d{2})$/i;
const monthDayYear = /^([a-z]{3,9})\.? *(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4}|\d{2})$/i;
const withoutYear = /^--\d{2}-?\d{2}$|^\d{1,2}[-/.]\d{1,2}\.?$|^\d{1,2}[ .-]*[a-z]{3,9}\.?$|^[a-z]{3,9}\.? *\d{1,2}$/i;
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const orders = new Map<Region, Order>();

/** A date as files write it, as YYYY-MM-DD. Day and month stand in the order of that country. */
export function readDate(given: string, field: DateField, region: Region): FieldValue<string> {
  // Some of these patterns take time with the square of the length.
  if (given.length > dateLengthMax) return notDate;
  const text = given.includes(':') ? given.replace(timeOfDay, '') : given;
  if (/^[0/.-]+$/.test(text)) return null;
  const found = yearFirst.exec(text);
  if (found) return dateOf(Number(found[1] ?? found[5]), Number(found[3] ?? found[6]), Number(found[4] ?? found[7]));
  if (withoutYear.test(text)) return noYear;
  const [, first, separator, second, lastYear] = yearLast.exec(text) ?? [];
  if (first && second && lastYear) {
    const order = separator === '.' ? 'day first' : orderIn(region);
    return inOrder(Number(first), Number(second), yearOf(lastYear, field), order);
  }
  return withMonthName(text, field);
}

function inOrder(first: number, second: number, year: number | null, order: Order): FieldValue<string> {
  if (year === null) return unclearYear;
  if (order === 'unclear' && first <= 12 && second <= 12 && first !== second)
    return { why: 'its day and month could be swapped' };
  const isDayFirst = order === 'day first' || (order === 'unclear' && first > 12);
  return isDayFirst ? dateOf(year, second, first) : dateOf(year, first, second);
}

function withMonthName(text: string, field: DateField): FieldValue<string> {
  const [, day, name, year] = dayMonthYear.exec(text) ?? [];
  const [, otherName = name, otherDay = day, otherYear = year] = monthDayYear.exec(text) ?? [];
  const month = months.indexOf(otherName?.slice(0, 3).toLowerCase() ?? '') + 1;
  if (!otherYear || month === 0) return notDate;
  const fullYear = yearOf(otherYear, field);
  return fullYear === null ? unclearYear : dateOf(fullYear, month, Number(otherDay));
}

/** Two digits are a year only where one century is possible. */
function yearOf(digits: string, field: DateField): number | null {
  const year = Number(digits);
  if (digits.length > 2) return year;
  const now = new Date().getFullYear();
  const [only, other] = [1900 + year, 2000 + year].filter((each) => each <= now && each >= now - yearsMax[field]);
  return only === undefined || other !== undefined ? null : only;
}

function dateOf(year: number, month: number, day: number): FieldValue<string> {
  if (year === appleNoYear) return noYear;
  if (year === outlookNoDate) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isReal = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? { value: date.toISOString().slice(0, 10) } : notDate;
}

/** In countries that write the year first, nobody can tell what 7/4/1961 means. */
function orderIn(region: Region): Order {
  const known = orders.get(region);
  if (known) return known;
  const { language } = new Intl.Locale(`und-${region}`).maximize();
  const parts = new Intl.DateTimeFormat(`${language}-${region}`).formatToParts(0).map(({ type }) => type);
  const [first] = parts.filter((type) => type === 'year' || type === 'month' || type === 'day');
  const order = first === 'year' ? 'unclear' : first === 'day' ? 'day first' : 'month first';
  orders.set(region, order);
  return order;
}
