import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readCsvRows } from '../../../../src/adapters/files/text/csv.ts';
import { cpuMs } from '../../../support/cpu.ts';

suite('a CSV file', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'assent-csv-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function rowsOf(content: string | Buffer) {
    const file = join(folder, 'file.csv');
    writeFileSync(file, content);
    return Array.fromAsync(readCsvRows(file, (headings) => headings.map((name) => name || undefined)));
  }

  test('is read by its headings, in lower case without punctuation; a column without a name is ignored', async () => {
    assert.deepEqual(await rowsOf('First Name,E-mail,!?\nAnn, ann@example.org ,x\n'), [
      { line: 2, cells: { firstname: 'Ann', email: 'ann@example.org' } },
    ]);
    assert.deepEqual(await rowsOf(''), []);
    assert.deepEqual(await rowsOf('a,b\n'), []);
  });

  test('counts lines where rows begin, whatever ends the lines and however many lines a row has', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const rows = await rowsOf(['', 'a,b', '', '"1', '', 'one",2', '3,4'].join(end));
      assert.deepEqual(rows, [
        { line: 4, cells: { a: '1\n\none', b: '2' } },
        { line: 7, cells: { a: '3', b: '4' } },
      ]);
    }
  });

  test('is decoded by its byte order mark, or else as UTF-8', async () => {
    const text = '\ufeffname,city\nJosé,"São Paulo, SP"\n';
    const expected = [{ line: 2, cells: { name: 'José', city: 'São Paulo, SP' } }];
    const utf16 = Buffer.from(text, 'utf16le');
    for (const content of [text, text.slice(1), utf16, Buffer.from(utf16).swap16()])
      assert.deepEqual(await rowsOf(content), expected);
  });

  test('may have blanks around a quoted field, and quotation marks in one that is not quoted', async () => {
    const rows = await rowsOf('a,b\nAnn, "Smith, Jr." \n "two\nlines",x\nAnn "Annie",5" \n "Best" of all,\n');
    assert.deepEqual(rows, [
      { line: 2, cells: { a: 'Ann', b: 'Smith, Jr.' } },
      { line: 3, cells: { a: 'two\nlines', b: 'x' } },
      { line: 5, cells: { a: 'Ann "Annie"', b: '5"' } },
      { line: 6, cells: { a: '"Best" of all', b: '' } },
    ]);
  });

  test('loses no row after one that is too long', async () => {
    const long = 'x'.repeat(300_000);
    const rows = await rowsOf(['a,b', `${long},1`, 'B,2', `"one\n${long}",3`, 'D,4', `E,${long}`, 'F,6'].join('\n'));
    assert.deepEqual(
      rows.map((row) => [row.line, 'unreadable' in row ? row.unreadable : row.cells.a]),
      [
        [2, 'it is longer than 262144 bytes'],
        [3, 'B'],
        [4, 'it is longer than 262144 bytes, up to line 5'],
        [6, 'D'],
        [7, 'it is longer than 262144 bytes'],
        [8, 'F'],
      ],
    );
  });

  test('says of a row that can’t be read whether others may be hidden by it', async () => {
    const rows = await rowsOf('a,b\n1\n"2"x,y\n"3,4\n5,"six",7\n8,9\n"10,11\n12,13\n');
    assert.deepEqual(
      rows.map((row) => ('unreadable' in row ? row : row.line)),
      [
        { line: 2, unreadable: 'it has 1 column and not 2' },
        { line: 3, unreadable: 'something follows a closing quotation mark' },
        { line: 4, unreadable: 'something follows a closing quotation mark, up to line 5' },
        6,
        { line: 7, unreadable: 'a quotation mark is never closed, up to line 8' },
      ],
    );
  });

  test('of marks and blanks only is read in linear time', async () => {
    const tookMs = await cpuMs(async () => {
      for (const part of ['" ', ' "', ' "",', ' "x, ""', '"" ,'])
        await rowsOf(`a\n${part.repeat(Math.floor(250_000 / part.length))}\n`);
    });
    assert.ok(tookMs < 30_000, `${tookMs} ms`);
  });
});
