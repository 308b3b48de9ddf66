import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readCsv, readNdjson } from '../../../../src/adapters/files/content/content-files.ts';

suite('a file of content', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'assent-content-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function fileOf(content: string | Buffer): string {
    const file = join(folder, 'content');
    writeFileSync(file, content);
    return file;
  }

  const ndjson = (content: string | Buffer) => Array.fromAsync(readNdjson(fileOf(content)));
  const csv = (content: string | Buffer) => Array.fromAsync(readCsv(fileOf(content)));

  test('of JSON lines has one row per line, whatever the line ending', async () => {
    const row = '{"type":"WebContent","title":"A","url":"https://firm.example/"}';
    const fields = {
      type: 'WebContent',
      title: 'A',
      url: 'https://firm.example/',
      status: 'published',
      keywords: [],
      dateTimePublished: undefined,
    };
    assert.deepEqual(await ndjson(`\ufeff${row}\r\n\n   \n${row}`), [
      { line: 1, fields },
      { line: 4, fields },
    ]);
    assert.deepEqual(await ndjson(''), []);
  });

  test('has fields as people write them', async () => {
    const rows = await ndjson(`
      {"type": "social post", "keywords": "Bonds; taxes,, fees ", "status": " Draft", "dateTimePublished": "2026-03-01"}
      {"type": "e-mails", "keywords": ["a, b"], "status": null, "dateTimePublished": ""}
      {"type": 7, "keywords": {"a": 1}, "status": 1, "dateTimePublished": 5, "__proto__": {"title": "x"}}`);
    assert.deepEqual(
      rows.map((row) => ('fields' in row ? row.fields : row)),
      [
        {
          type: 'SocialPosts',
          keywords: ['Bonds', 'taxes', 'fees'],
          status: 'draft',
          dateTimePublished: '2026-03-01T00:00:00Z',
        },
        { type: 'Emails', keywords: ['a, b'], status: 'published', dateTimePublished: null },
        { type: 7, keywords: { a: 1 }, status: 1, dateTimePublished: 5, ['__proto__']: { title: 'x' } },
      ],
    );
  });

  test('of JSON lines loses only the lines that are bad', async () => {
    const bad = ['{"title":', '[]', '7', 'null', 'hello', `"${'x'.repeat(256 * 1024)}"`, `[${'['.repeat(200_000)}`];
    const bytes = Buffer.concat([
      Buffer.from(`${bad.join('\n')}\n`),
      Buffer.from([0x22, 0xff, 0x22, 10]),
      Buffer.from('{}'),
    ]);
    const rows = await ndjson(bytes);
    assert.deepEqual(
      rows.map((row) => ('unreadable' in row ? row.unreadable : row.line)),
      [
        'it is not JSON',
        'it is not a JSON object',
        'it is not a JSON object',
        'it is not a JSON object',
        'it is not JSON',
        'it is longer than 262144 bytes',
        'it is not JSON',
        'it is not UTF-8',
        9,
      ],
    );
  });

  test('with one endless line doesn’t fill memory', async () => {
    const before = process.memoryUsage().rss;
    assert.deepEqual(await ndjson(Buffer.alloc(64_000_000, 0x20)), [
      { line: 1, unreadable: 'it is longer than 262144 bytes' },
    ]);
    assert.ok(process.memoryUsage().rss - before < 50_000_000);
  });

  test('of CSV is read by its headings, however they are written', async () => {
    const rows = await csv(`\ufeffContent Type,HEADLINE,Link,"Description",Tags,State,Publish date,Colour
web content,"A, B",https://firm.example/,"two
lines",a;b,,2026-03-01T10:00:00Z,red
too,few
Print,C,https://firm.example/c,,,archived,,\n`);
    assert.deepEqual(rows, [
      {
        line: 2,
        fields: {
          type: 'WebContent',
          title: 'A, B',
          url: 'https://firm.example/',
          summary: 'two\nlines',
          keywords: ['a', 'b'],
          status: 'published',
          dateTimePublished: '2026-03-01T10:00:00Z',
        },
      },
      { line: 4, unreadable: 'it has 2 columns and not 8' },
      {
        line: 5,
        fields: {
          type: 'Print',
          title: 'C',
          url: 'https://firm.example/c',
          keywords: [],
          status: 'archived',
          dateTimePublished: undefined,
        },
      },
    ]);
  });

  test('of CSV loses only the rows that can’t be read', async () => {
    const long = 'x'.repeat(300_000);
    const rows = await csv(
      [
        'title,url',
        `${long},https://firm.example/`,
        'B,https://firm.example/b',
        'too,many,columns',
        '5" screens,https://firm.example/c',
        '"D"d,https://firm.example/d',
        '"E ""quoted"", with',
        'two lines",https://firm.example/e',
        `"${'one\n'.repeat(10)}${long}",https://firm.example/`,
        'F,https://firm.example/f',
        '"never closed,https://firm.example/g',
        'H,https://firm.example/h',
      ].join('\n'),
    );
    assert.deepEqual(
      rows.map((row) => [row.line, 'unreadable' in row ? row.unreadable : row.fields.title]),
      [
        [2, 'it is longer than 262144 bytes'],
        [3, 'B'],
        [4, 'it has 3 columns and not 2'],
        [5, '5" screens'],
        [6, 'something follows a closing quotation mark'],
        [7, 'E "quoted", with\ntwo lines'],
        [9, 'it is longer than 262144 bytes, up to line 19'],
        [20, 'F'],
        [21, 'a quotation mark is never closed, up to line 22'],
      ],
    );
  });

  test('of CSV refuses only the rows that are not UTF-8', async () => {
    const latin1 = Buffer.from('title,colour\nCafé,red\nTea,gr\xfcn\nB,blue\n', 'latin1');
    assert.deepEqual(
      (await csv(latin1)).map((row) => ('unreadable' in row ? [row.line, row.unreadable] : row.fields.title)),
      [[2, 'it is not UTF-8'], 'Tea', 'B'],
    );
  });
});
