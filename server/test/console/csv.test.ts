import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from '../../../web/src/console/csv.ts';

const cellOf = (text: string | number | null) => toCsv([{ name: 'Cell', text: () => text }], [0]).split('\r\n')[1];

test('a cell of a table that is saved is never a formula', () => {
  for (const text of ['=1+1', '+1-2', '-1-2', "+cmd|'/C calc'!A0", '@sum(A1)', '＝1+1', '＠x'])
    assert.equal(cellOf(text), `'${text}`, text);
  assert.equal(cellOf('\t=1'), `"'\t'=1"`);
  assert.equal(cellOf('a;=1+1'), `"a;'=1+1"`);
  assert.equal(cellOf('=HYPERLINK("x")'), `"'=HYPERLINK(""x"")"`);
});

test('and says what it said', () => {
  for (const text of ['+1 (212) 555-0123', '+12125550123', '-5', '+1.5', 'Ann = Bob', '– none', 'a@b.example'])
    assert.equal(cellOf(text), text);
  assert.deepEqual([cellOf(-0.5), cellOf(null), cellOf('a, "b"')], ['-0.5', '', '"a, ""b"""']);
});
