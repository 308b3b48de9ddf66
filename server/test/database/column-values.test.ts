import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { columnsIn, instantOf, writtenInstant } from '../../src/store/database/connecting/column-values.ts';
import { makeDatabase } from '../support/database.ts';

const database = await makeDatabase();
after(() => database.drop());

/** Milliseconds since 1970 of an instant as PostgreSQL counts them, without the fraction. */
const millisecondsOf = (instant: string) => `floor(extract(epoch from ${instant}) * 1000)::float8`;

test('every millisecond is read as PostgreSQL means it, and microseconds are cut off', async () => {
  const rows = await database.asOwner<{ at: Date; written: string; milliseconds: number }>(
    `select at, at::text as written, ${millisecondsOf('at')} as milliseconds
     from
       unnest('{2026-11-16 05:42:38Z, 2000-02-29 23:59:59Z, 1969-12-31 23:59:59Z, 0099-01-01 00:00Z}'::timestamptz[]) as second,
       generate_series(0, 999) as millisecond,
       unnest('{0, 999}'::integer[]) as microsecond,
       lateral (select second + millisecond * interval '1 ms' + microsecond * interval '1 us' as at) as instants`,
  );
  assert.equal(rows.length, 8_000);
  for (const { at, written, milliseconds } of rows) {
    assert.equal(at.getTime(), milliseconds, at.toISOString());
    assert.equal(writtenInstant(written), at.toISOString());
  }
});

test('other years, time zones and infinity are read as the driver reads them', async () => {
  assert.equal(instantOf('12026-01-02 03:04:05.678+00').toISOString(), '+012026-01-02T03:04:05.678Z');
  assert.equal(instantOf('0044-03-15 12:00:00+00 BC').toISOString(), '-000043-03-15T12:00:00.000Z');
  assert.equal(instantOf('2026-01-02 05:34:05.678+02:30').toISOString(), '2026-01-02T03:04:05.678Z');
  assert.equal(instantOf('2026-01-02 03:04:05-08').toISOString(), '2026-01-02T11:04:05.000Z');
  assert.equal(Number(instantOf('infinity')), Number.POSITIVE_INFINITY);
});

test('lists of text are read whether or not they are empty', async () => {
  const [row] = await database.asOwner(
    `select '{}'::text[] as none, array['a', '', 'b,"c', '{}'] as some, null::text[] as unset`,
  );
  assert.deepEqual(row, { none: [], some: ['a', '', 'b,"c', '{}'], unset: null });
});

test('the columns of a row in one value are what they are by themselves', async () => {
  const nasty = fc.string({ unit: fc.constantFrom(...'ab "\\\'(),{}\n\té李😀'), maxLength: 6 });
  const rows = fc.sample(fc.array(fc.option(nasty), { minLength: 3, maxLength: 3 }), 500);
  rows.push([null, null, null], ['', '', ''], ['"', '\\', ','], ['null', 'NULL', ' ']);
  const written = await database.asOwner<{ row: string }>(
    `select row(given ->> 0, given ->> 1, given ->> 2)::text as row
     from json_array_elements($1) with ordinality as rows (given, position)
     order by position`,
    [JSON.stringify(rows)],
  );
  assert.deepEqual(
    written.map(({ row }) => columnsIn(row)),
    rows,
  );
  assert.deepEqual(columnsIn('()'), [null]);
});
