import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { encodingOf } from '../../../../src/adapters/files/text/encodings.ts';
import { linesOf } from '../../../../src/adapters/files/text/lines.ts';

suite('the encoding of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-encodings-'));
  after(() => rmSync(folder, { recursive: true }));

  async function encodingIn(content: string | Buffer): Promise<string> {
    const path = join(folder, 'file');
    writeFileSync(path, content);
    return encodingOf(path);
  }
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

  test('is what its byte order mark names', async () => {
    assert.equal(await encodingIn('\ufeffname\nJörg\n'), 'utf-8');
    assert.equal(await encodingIn(Buffer.from('\ufeffname\nJörg\n', 'utf16le')), 'utf-16le');
    assert.equal(await encodingIn(swapped('\ufeffname\nJörg\n')), 'utf-16be');
    // Even if the rest is something else.
    assert.equal(await encodingIn(Buffer.from('\xef\xbb\xbfJ\xf6rg', 'latin1')), 'utf-8');
  });

  test('is UTF-16 if it has NULs where Western letters have them', async () => {
    assert.equal(await encodingIn(Buffer.from('First Name\tLast Name\nJörg\tМюллер\n', 'utf16le')), 'utf-16le');
    assert.equal(await encodingIn(swapped('First Name\tLast Name\nJörg\tМюллер\n')), 'utf-16be');
    assert.equal(await encodingIn(`name\n${'x'.repeat(5_000)}\0\n`), 'utf-8');
  });

  test('is UTF-8 if every byte of it is, and otherwise Windows-1252', async () => {
    assert.equal(await encodingIn(''), 'utf-8');
    assert.equal(await encodingIn('name\nAnn\n'), 'utf-8');
    assert.equal(await encodingIn('name\nJörg 李 😀\n'), 'utf-8');
    assert.equal(await encodingIn(Buffer.from('name\nJ\xf6rg\n', 'latin1')), 'windows-1252');
    // At the very end, and far behind the first chunk.
    assert.equal(await encodingIn(Buffer.from('Jos\xe9', 'latin1')), 'windows-1252');
    const long = Buffer.from(`${'Ann Smith\n'.repeat(300_000)}J\xf6rg\n`, 'latin1');
    assert.equal(await encodingIn(long), 'windows-1252');
  });

  test('is UTF-8, too, if a chunk ends within a character, or the file does', async () => {
    for (const letter of ['ö', '李', '😀'])
      for (let before = 0; before < 4; before++) {
        const text = 'x'.repeat(1024 * 1024 - before) + letter;
        assert.equal(await encodingIn(`${text}\n`), 'utf-8');
        assert.equal(await encodingIn(Buffer.from(`${letter}${text}`).subarray(0, -1)), 'utf-8');
      }
  });

  test('decodes every letter and sign that Windows has', async () => {
    const path = join(folder, 'windows');
    writeFileSync(path, Buffer.from('J\xf6rg \x80 \x93quoted\x94 \x96 O\x92Hara \x8a\x9f', 'latin1'));
    const encoding = await encodingOf(path);
    assert.deepEqual(await Array.fromAsync(linesOf(path, 1_000, { encoding })), ['Jörg € “quoted” – O’Hara ŠŸ']);
  });
});
