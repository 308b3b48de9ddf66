import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Frequency } from '../../../web/src/api/types.ts';
import { nextTimes } from '../../../web/src/words/schedules.ts';
import {
  nextAfter,
  nextOccurrences,
  occurrence,
  occurrencesBetween,
  type Schedule,
} from '../../src/domain/messages/recurrence.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { cpuMs } from '../support/cpu.ts';
import { rounds } from '../support/rounds.ts';

const once = numberOf('frequency', 'once');
const daily = numberOf('frequency', 'daily');
const weekly = numberOf('frequency', 'weekly');
const monthly = numberOf('frequency', 'monthly');
const yearly = numberOf('frequency', 'yearly');
const dayMs = 86_400_000;

function schedule(firstDate: string, frequency: number, timeZone = 'America/New_York'): Schedule {
  return { firstDate: new Date(firstDate), frequency, timeZone };
}

function assertOccurrences(wanted: Schedule, expected: Record<number, string>): void {
  for (const [index, at] of Object.entries(expected))
    assert.equal(occurrence(wanted, Number(index)).toISOString(), new Date(at).toISOString(), `${index}: ${at}`);
}

/** Date and time of day according to Intl. */
function wallClock(at: Date, timeZone: string): { date: string; time: string } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const [date, time] = format.format(at).split(', ');
  return { date: String(date), time: `${time}.${String(at.getUTCMilliseconds()).padStart(3, '0')}` };
}

suite('an occurrence', () => {
  test('with index 0 is the first one, even at the second of two equal times', () => {
    const secondHalfPastOne = schedule('2026-11-01T01:30:00-05:00', daily);
    assertOccurrences(secondHalfPastOne, { 0: '2026-11-01T01:30:00-05:00', 1: '2026-11-02T01:30:00-05:00' });
    assertOccurrences(schedule('2026-11-01T01:30:00-05:00', once), { 0: '2026-11-01T01:30:00-05:00' });
  });

  test('after the first does not exist for a message that is sent once', () => {
    assert.throws(() => occurrence(schedule('2026-06-10T09:00:00-04:00', once), 1), RangeError);
  });

  test('keeps its time of day, to the millisecond, when clocks change', () => {
    assertOccurrences(schedule('2026-03-07T09:15:30.123-05:00', daily), {
      1: '2026-03-08T09:15:30.123-04:00',
      238: '2026-10-31T09:15:30.123-04:00',
      239: '2026-11-01T09:15:30.123-05:00',
    });
    assertOccurrences(schedule('2026-03-02T18:00:00-05:00', weekly), {
      1: '2026-03-09T18:00:00-04:00',
      52: '2027-03-01T18:00:00-05:00',
    });
  });

  test('for the 31st is on the last day of a shorter month, and on the 31st again after that', () => {
    assertOccurrences(schedule('2027-01-31T09:00:00-05:00', monthly), {
      1: '2027-02-28T09:00:00-05:00',
      2: '2027-03-31T09:00:00-04:00',
      3: '2027-04-30T09:00:00-04:00',
      4: '2027-05-31T09:00:00-04:00',
      13: '2028-02-29T09:00:00-05:00',
    });
    assertOccurrences(schedule('2027-01-30T09:00:00-05:00', monthly), {
      1: '2027-02-28T09:00:00-05:00',
      2: '2027-03-30T09:00:00-04:00',
    });
  });

  test('for February 29 is on the 28th in common years, and on the 29th in leap years', () => {
    assertOccurrences(schedule('2028-02-29T09:00:00-05:00', yearly), {
      1: '2029-02-28T09:00:00-05:00',
      3: '2031-02-28T09:00:00-05:00',
      4: '2032-02-29T09:00:00-05:00',
    });
  });

  test('at a time that clocks skip is at the instant of the change', () => {
    for (const time of ['02:00:00.000', '02:00:00.001', '02:30:00.000', '02:59:59.999'])
      assertOccurrences(schedule(`2026-03-07T${time}-05:00`, daily), {
        1: '2026-03-08T03:00:00-04:00',
        2: `2026-03-09T${time}-04:00`,
      });
    assertOccurrences(schedule('2026-03-07T01:59:59.999-05:00', daily), { 1: '2026-03-08T01:59:59.999-05:00' });
    assertOccurrences(schedule('2026-03-07T03:00:00-05:00', daily), { 1: '2026-03-08T03:00:00-04:00' });
  });

  test('at a time that comes twice is at the first of the two', () => {
    for (const time of ['01:00:00.000', '01:30:00.000', '01:59:59.999'])
      assertOccurrences(schedule(`2026-10-31T${time}-04:00`, daily), {
        1: `2026-11-01T${time}-04:00`,
        2: `2026-11-02T${time}-05:00`,
      });
    assertOccurrences(schedule('2026-10-31T02:00:00-04:00', daily), { 1: '2026-11-01T02:00:00-05:00' });
  });

  test('is a whole number of days apart where clocks never change', () => {
    for (const timeZone of ['America/Phoenix', 'Asia/Tokyo', 'Asia/Kathmandu', 'UTC']) {
      const steady = schedule('2026-01-31T02:30:00Z', daily, timeZone);
      for (const index of [1, 36, 300, 5_000])
        assert.equal(occurrence(steady, index).getTime(), steady.firstDate.getTime() + index * dayMs, timeZone);
    }
  });

  test('follows the southern seasons', () => {
    const sydney = 'Australia/Sydney';
    assertOccurrences(schedule('2026-10-03T02:30:00+10:00', daily, sydney), {
      1: '2026-10-04T03:00:00+11:00',
      2: '2026-10-05T02:30:00+11:00',
    });
    assertOccurrences(schedule('2026-04-04T02:30:00+11:00', daily, sydney), {
      1: '2026-04-05T02:30:00+11:00',
      2: '2026-04-06T02:30:00+10:00',
    });
  });

  test('follows clocks that change by half an hour', () => {
    const lordHowe = 'Australia/Lord_Howe';
    assertOccurrences(schedule('2026-10-03T02:15:00+10:30', daily, lordHowe), {
      1: '2026-10-04T02:30:00+11:00',
      2: '2026-10-05T02:15:00+11:00',
    });
    assertOccurrences(schedule('2026-10-03T02:30:00+10:30', daily, lordHowe), { 1: '2026-10-04T02:30:00+11:00' });
    assertOccurrences(schedule('2026-04-04T01:45:00+11:00', daily, lordHowe), {
      1: '2026-04-05T01:45:00+11:00',
      2: '2026-04-06T01:45:00+10:30',
    });
  });
});

suite('the next occurrence', () => {
  test('is after the instant, not at it', () => {
    const nine = schedule('2026-06-10T09:00:00-04:00', daily);
    for (const [after, index] of [
      ['2020-01-01T00:00:00-05:00', 0],
      ['2026-06-10T08:59:59.999-04:00', 0],
      ['2026-06-10T09:00:00.000-04:00', 1],
      ['2026-06-11T08:59:59.999-04:00', 1],
      ['2026-06-11T09:00:00.000-04:00', 2],
    ] as const)
      assert.deepEqual(nextAfter(nine, new Date(after)), { index, at: occurrence(nine, index) }, after);
  });

  test('does not exist once a message that is sent once has passed', () => {
    const single = schedule('2026-06-10T09:00:00-04:00', once);
    assert.deepEqual(nextAfter(single, new Date('2026-06-10T08:59:59.999-04:00')), { index: 0, at: single.firstDate });
    assert.equal(nextAfter(single, single.firstDate), null);
    assert.deepEqual(nextOccurrences(single, single.firstDate, 5), [single.firstDate]);
    assert.deepEqual(nextOccurrences(single, new Date('2026-06-10T09:00:00.001-04:00'), 5), []);
  });

  test('is found quickly, however long ago the first was', async () => {
    const old = schedule('1990-01-31T09:00:00-05:00', daily);
    const tookMs = await cpuMs(() => {
      for (let year = 2000; year < 3000; year++) {
        const after = new Date(Date.UTC(year, 5, 1));
        const next = nextAfter(old, after);
        assert.ok(next && next.at > after && next.at.getTime() - after.getTime() < dayMs);
      }
    });
    assert.ok(tookMs < 10_000, `${tookMs} ms`);
  });

  test('and those after it include one at the given instant', () => {
    const payday = schedule('2027-01-31T09:00:00-05:00', monthly);
    const fromFebruary = ['2027-02-28T09:00:00-05:00', '2027-03-31T09:00:00-04:00', '2027-04-30T09:00:00-04:00'];
    assert.deepEqual(
      nextOccurrences(payday, new Date('2027-02-28T09:00:00-05:00'), 3),
      fromFebruary.map((each) => new Date(each)),
    );
    assert.deepEqual(nextOccurrences(payday, new Date('2027-02-28T09:00:00.001-05:00'), 1), [
      new Date('2027-03-31T09:00:00-04:00'),
    ]);
    assert.deepEqual(nextOccurrences(payday, payday.firstDate, 0), []);
  });
});

suite('every schedule', () => {
  const timeZone = fc.constantFrom(
    'America/New_York',
    'America/Phoenix',
    'America/St_Johns',
    'America/Havana',
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'Europe/London',
    'Africa/Cairo',
    'Asia/Tokyo',
  );
  // Half of them are close to a day when some clock changes: the edge cases.
  const changes = ['2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04', '2027-03-28', '2027-10-31', '2028-02-29'];
  const anyDay = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  const nearChange = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -60 * 24, max: 60 * 24 }))
    .map(([day, quarters]) => new Date(Date.parse(day) + quarters * 15 * 60_000));
  const repeating: fc.Arbitrary<Schedule> = fc.record({
    firstDate: fc.oneof(anyDay, nearChange),
    frequency: fc.constantFrom(daily, weekly, monthly, yearly),
    timeZone,
  });

  test('moves forward', () => {
    fc.assert(
      fc.property(repeating, fc.nat({ max: 1_000 }), (each, index) => {
        assert.ok(occurrence(each, index) < occurrence(each, index + 1));
      }),
      { numRuns: rounds(1_000) },
    );
  });

  test('keeps its time of day, or is at the end of the gap that contains it', () => {
    fc.assert(
      fc.property(repeating, fc.nat({ max: 500 }), (each, index) => {
        const at = occurrence(each, index);
        const wanted = wallClock(each.firstDate, each.timeZone).time;
        const { date, time } = wallClock(at, each.timeZone);
        if (time === wanted) return;
        const before = wallClock(new Date(at.getTime() - 1), each.timeZone);
        const gapFrom = before.date < date ? '' : before.time;
        assert.ok(gapFrom < wanted && wanted < time, `${gapFrom} < ${wanted} < ${time} on ${date}`);
      }),
      { numRuns: rounds(2_000) },
    );
  });

  test('has the same next occurrence as a walk from the first one', () => {
    fc.assert(
      fc.property(repeating, fc.integer({ min: -2, max: 400 * 96 }), fc.boolean(), (each, quarters, exact) => {
        const afterMs = each.firstDate.getTime() + quarters * 15 * 60_000;
        const near = nextAfter(each, new Date(afterMs));
        // Both at an occurrence and anywhere between.
        const after = exact && near ? near.at : new Date(afterMs);
        let index = 0;
        while (occurrence(each, index) <= after) index++;
        assert.deepEqual(nextAfter(each, after), { index, at: occurrence(each, index) });
      }),
      { numRuns: rounds(1_000) },
    );
  });

  test('is shown in the app with the same next times', () => {
    fc.assert(
      fc.property(repeating, (each) => {
        // The app's field has minutes.
        const first = each.firstDate.getTime() - (each.firstDate.getTime() % 60_000);
        const wanted = nextOccurrences({ ...each, firstDate: new Date(first) }, new Date(first), 5);
        const shown = nextTimes(first, each.frequency as Frequency, each.timeZone, 5);
        assert.deepEqual(
          shown,
          wanted.map((at) => at.getTime()),
        );
      }),
      { numRuns: rounds(1_000) },
    );
  });

  test('has the same dates between two instants as a walk', () => {
    fc.assert(
      fc.property(repeating, anyDay, fc.nat({ max: 400 }), (each, from, days) => {
        const until = new Date(from.getTime() + days * dayMs);
        const walked: Date[] = [];
        let next = nextAfter(each, new Date(from.getTime() - 1));
        for (; next && next.at < until; next = nextAfter(each, next.at)) walked.push(next.at);
        assert.deepEqual(occurrencesBetween(each, from, until), walked);
      }),
      { numRuns: rounds(100) },
    );
  });

  test('lists the same dates as a walk from its next occurrence', () => {
    fc.assert(
      fc.property(repeating, anyDay, fc.nat({ max: 6 }), (each, from, count) => {
        const walked: Date[] = [];
        let after = new Date(from.getTime() - 1);
        while (walked.length < count) {
          const next = nextAfter(each, after);
          if (next === null) break;
          walked.push(next.at);
          after = next.at;
        }
        assert.deepEqual(nextOccurrences(each, from, count), walked);
      }),
    );
  });
});
