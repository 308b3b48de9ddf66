import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { areaCodesByZones, countryCodesByZones } from '../../src/domain/texting/area-codes.ts';
import { quietFromHour, quietUntilHour, windowAt, zonesOf } from '../../src/domain/texting/quiet-hours.ts';
import { states, zonesOfState } from '../../src/domain/texting/states.ts';
import { cpuMs } from '../support/cpu.ts';
import { isWhole } from '../support/rounds.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const hours = new Map<string, Intl.DateTimeFormat>();

/** The hour of the day from Intl, which the code under test doesn't use. */
function hourIn(zone: string, atMs: number): number {
  const format =
    hours.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' });
  hours.set(zone, format);
  return Number(format.format(atMs));
}

function isOpen(zones: string[], atMs: number): boolean {
  return zones.every((zone) => {
    const hour = hourIn(zone, atMs);
    return hour >= quietUntilHour && hour < quietFromHour;
  });
}

/** Gets the window at each instant, in order, and checks it against Intl. */
function sweep(zones: string[], instantsMs: number[]): void {
  let last: { open: boolean; untilMs: number } | undefined;
  for (const atMs of instantsMs) {
    const { open, until } = windowAt(new Date(atMs), zones);
    const untilMs = until.getTime();
    const message = `${zones} at ${new Date(atMs).toISOString()} until ${until.toISOString()}`;
    assert.equal(open, isOpen(zones, atMs), message);
    assert.ok(untilMs > atMs, message);
    if (last && atMs < last.untilMs)
      assert.deepEqual({ open, untilMs }, last, `${message}: nothing changed in between`);
    if (last?.untilMs !== untilMs) {
      assert.equal(isOpen(zones, untilMs - 1), open, `${message}: the last instant before`);
      assert.equal(isOpen(zones, untilMs), !open, `${message}: the change`);
      assert.equal(windowAt(until, zones).open, !open, `${message}: asked again then`);
    }
    last = { open, untilMs };
  }
}

function every(stepMs: number, fromMs: number, untilMs: number): number[] {
  return Array.from({ length: Math.floor((untilMs - fromMs) / stepMs) }, (_, index) => fromMs + index * stepMs);
}

/** The second Sunday of March and the first of November, when North America's clocks change in the early morning. */
function clockChanges(): number[] {
  const years = Array.from({ length: 10 }, (_, index) => 2026 + index);
  return years.flatMap((year) => [sundayFrom(Date.UTC(year, 2, 8)), sundayFrom(Date.UTC(year, 10, 1))]);
}

function sundayFrom(dayStartMs: number): number {
  return dayStartMs + ((7 - new Date(dayStartMs).getUTCDay()) % 7) * dayMs;
}

function listsOf(codesByZones: Record<string, string>): { zones: string[]; codes: string[] }[] {
  return Object.entries(codesByZones).map(([zones, codes]) => ({
    zones: zones.split(' '),
    codes: codes.trim().split(/\s+/),
  }));
}

suite('the zones of a number', () => {
  test('come from its area code', () => {
    assert.deepEqual(zonesOf('+12125550123', null), ['America/New_York']);
    assert.deepEqual(zonesOf('+13105550123', null), ['America/Los_Angeles']);
    assert.deepEqual(zonesOf('+18085550123', null), ['Pacific/Honolulu']);
    assert.deepEqual(zonesOf('+16025550123', 'AZ'), ['America/Phoenix']);
    assert.deepEqual(zonesOf('+17875550123', null), ['America/Puerto_Rico']);
    assert.deepEqual(zonesOf('+14165550123', null), ['America/Toronto']);
  });

  test('are several if an area code spans them, for an overlay as for the original code', () => {
    const both = ['America/Chicago', 'America/New_York'];
    for (const areaCode of ['850', '448', '423', '729', '270', '364', '812', '930', '906'])
      assert.deepEqual(zonesOf(`+1${areaCode}5550123`, null), both, areaCode);
    assert.deepEqual(zonesOf('+12085550123', null), ['America/Denver', 'America/Los_Angeles']);
  });

  test('are narrowed by the state, in any spelling', () => {
    for (const georgia of ['GA', 'ga', 'Georgia', ' GEORGIA ', 'G.A.'])
      assert.deepEqual(zonesOf('+18505550123', georgia), ['America/New_York'], georgia);
    assert.deepEqual(zonesOf('+18505550123', 'Alabama'), ['America/Chicago']);
    assert.deepEqual(zonesOf('+18505550123', 'TX'), ['America/Chicago']);
    assert.deepEqual(zonesOf('+18675550123', 'Yukon'), ['America/Whitehorse']);
    assert.deepEqual(zonesOf('+17095550123', 'Nova Scotia'), ['America/Halifax']);
    assert.deepEqual(zonesOfState('Québec'), zonesOfState('QC'));
  });

  test('are not narrowed by a state that has both of them or neither, or is unknown', () => {
    for (const state of ['FL', 'Florida', 'CA', 'Hawaii', 'Bavaria', 'XX', '', ' '])
      assert.deepEqual(zonesOf('+18505550123', state), ['America/Chicago', 'America/New_York'], state);
  });

  test('are not replaced by the state’s if there is only one', () => {
    assert.deepEqual(zonesOf('+12125550123', 'CA'), ['America/New_York']);
  });

  test('come from the country code outside North America', () => {
    assert.deepEqual(zonesOf('+442079460123', null), ['Europe/London']);
    assert.deepEqual(zonesOf('+4915112345678', 'TX'), ['Europe/Berlin']);
    assert.deepEqual(zonesOf('+35312345678', null), ['Europe/Dublin']);
    assert.ok(zonesOf('+61412345678', null).length > 1);
  });

  test('are empty for a number that doesn’t tell', () => {
    for (const phone of ['+15005550006', '+18005550123', '+19995550123', '+11115550123', '+9991234567', '+80012345678'])
      assert.deepEqual(zonesOf(phone, 'TX'), [], phone);
  });

  test('match the tables, with each code listed once and each zone valid', () => {
    for (const [table, prefix] of [[areaCodesByZones, '+1'] as const, [countryCodesByZones, '+'] as const]) {
      const lists = listsOf(table);
      const codes = lists.flatMap((list) => list.codes);
      assert.equal(new Set(codes).size, codes.length);
      for (const { zones, codes } of lists)
        for (const code of codes) assert.deepEqual(zonesOf(`${prefix}${code}5550123`, null), zones, code);
    }
    for (const [, , ...zones] of states) for (const zone of zones) assert.ok(hourIn(zone, 0) >= 0, zone);
  });

  test('have the same names as the states’ zones, so that a state can narrow them', () => {
    const known = new Set(Object.keys(areaCodesByZones).flatMap((zones) => zones.split(' ')));
    for (const [code, , ...zones] of states)
      assert.ok(
        zones.every((zone) => known.has(zone)),
        code,
      );
  });
});

suite('the hours', () => {
  test('are from 8:00 to before 21:00, to the millisecond', () => {
    for (const [local, open, until] of [
      ['2026-06-10T07:59:59.999-04:00', false, '2026-06-10T08:00:00-04:00'],
      ['2026-06-10T08:00:00.000-04:00', true, '2026-06-10T21:00:00-04:00'],
      ['2026-06-10T20:59:59.999-04:00', true, '2026-06-10T21:00:00-04:00'],
      ['2026-06-10T21:00:00.000-04:00', false, '2026-06-11T08:00:00-04:00'],
      ['2026-06-10T00:00:00.000-04:00', false, '2026-06-10T08:00:00-04:00'],
    ] as const)
      assert.deepEqual(windowAt(new Date(local), ['America/New_York']), { open, until: new Date(until) }, local);
  });

  test('must suit every zone', () => {
    const zones = ['America/New_York', 'America/Chicago'];
    for (const [local, open, until] of [
      ['2026-06-10T08:00:00-04:00', false, '2026-06-10T08:00:00-05:00'],
      ['2026-06-10T08:00:00-05:00', true, '2026-06-10T21:00:00-04:00'],
      ['2026-06-10T21:00:00-04:00', false, '2026-06-11T08:00:00-05:00'],
    ] as const)
      assert.deepEqual(windowAt(new Date(local), zones), { open, until: new Date(until) }, local);
  });

  test('follow the clock change overnight', () => {
    for (const [evening, morning] of [
      ['2026-03-07T22:00:00-05:00', '2026-03-08T08:00:00-04:00'],
      ['2026-10-31T22:00:00-04:00', '2026-11-01T08:00:00-05:00'],
    ] as const)
      assert.deepEqual(windowAt(new Date(evening), ['America/New_York']), { open: false, until: new Date(morning) });
  });

  test('are not widened by zones that change at different times', () => {
    // On November 1, 2026, Denver falls back and Phoenix doesn't change: from then on they agree.
    const zones = ['America/Denver', 'America/Phoenix'];
    assert.deepEqual(windowAt(new Date('2026-10-31T20:30:00-07:00'), zones), {
      open: false,
      until: new Date('2026-11-01T08:00:00-07:00'),
    });
  });

  test('are the first zone’s if no hour suits all', () => {
    const zones = ['Asia/Tokyo', 'America/New_York', 'Europe/London'];
    for (const at of ['2026-06-10T03:00:00Z', '2026-06-10T15:00:00Z'])
      assert.deepEqual(windowAt(new Date(at), zones), windowAt(new Date(at), ['Asia/Tokyo']));
  });

  test('need a zone', () => {
    assert.throws(() => windowAt(new Date(), []), RangeError);
  });

  test('are right for every area code around ten years of clock changes', () => {
    for (const { zones } of listsOf(areaCodesByZones))
      for (const changeMs of clockChanges())
        sweep(zones, every((isWhole ? 30 : 130) * minuteMs, changeMs - 2 * dayMs, changeMs + 2 * dayMs));
  });

  test('are right for every country, all year', () => {
    const instantsMs = every((isWhole ? 13 : 52) * hourMs + 7 * minuteMs, Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1));
    for (const { zones } of listsOf(countryCodesByZones)) sweep(zones, instantsMs);
  });

  test('are computed thousands of times a second', async () => {
    const zones = ['America/Chicago', 'America/New_York'];
    const tookMs = await cpuMs(() => {
      for (const atMs of every(minuteMs, Date.UTC(2026, 9, 30), Date.UTC(2026, 10, 6))) windowAt(new Date(atMs), zones);
    });
    assert.ok(tookMs < 5_000, `${tookMs} ms`);
  });
});
