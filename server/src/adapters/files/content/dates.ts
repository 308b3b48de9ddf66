const w3cForm =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s?([Zz]|[+-]\d{2}:?\d{2})?)?)?)?$/;
const rfc822Form =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([a-z]{1,5}|[+-]\d{4}|[+-]\d{2}:\d{2})?)?$/i;
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** The names in RFC 822. Its single letters were defined incorrectly, so they are ignored. */
const zoneHours: Record<string, number> = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 };
const textCharactersMax = 64;

/** A publication time as feeds and sitemaps write it: RFC 3339, its shorter forms, or RFC 822. */
export function toTime(written: string): Date | null {
  const text = written.trim();
  if (text.length > textCharactersMax) return null;
  return fromW3c(text) ?? fromRfc822(text);
}

function fromW3c(text: string): Date | null {
  const match = w3cForm.exec(text);
  if (!match) return null;
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  return timeOf([year, month, day, hour, minute, second].map(Number), milliseconds, offsetMinutes(zone));
}

function fromRfc822(text: string): Date | null {
  const match = rfc822Form.exec(text);
  if (!match) return null;
  const [, day, monthName = '', yearText = '', hour = '0', minute = '0', second = '0', zone = 'Z'] = match;
  const month = months.indexOf(monthName.toLowerCase()) + 1;
  const year = yearText.length === 4 ? Number(yearText) : Number(yearText) + (Number(yearText) < 50 ? 2000 : 1900);
  if (month === 0) return null;
  return timeOf([year, month, ...[day, hour, minute, second].map(Number)], 0, offsetMinutes(zone));
}

/** Null if there is no such date or time; a leap second counts as the second before it. */
function timeOf(parts: number[], milliseconds: number, offset: number): Date | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const written = { year, month, day, hour, minute, second: second === 60 ? 59 : second, millisecond: milliseconds };
  try {
    const utc = Temporal.PlainDateTime.from(written, { overflow: 'reject' }).subtract({ minutes: offset });
    return utc.year > 0 && utc.year < 10_000 ? new Date(`${utc}Z`) : null;
  } catch {
    return null;
  }
}

function offsetMinutes(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return (zoneHours[zone.toUpperCase()] ?? 0) * 60;
}
