import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { readVcards } from '../../../../src/adapters/files/contacts/vcard.ts';
import { cpuMs } from '../../../support/cpu.ts';
import { readText } from './files.ts';

suite('contacts in vCards', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-vcards-'));
  after(() => rmSync(folder, { recursive: true }));
  const readLines = async (...lines: string[]) => {
    const source = Buffer.from(['BEGIN:VCARD', ...lines, 'END:VCARD'].join('\r\n'));
    return (await Array.fromAsync(readVcards(source, 'US', {}))).flat();
  };
  const fieldsOf = async (...lines: string[]) => {
    const [card] = await readLines('VERSION:3.0', ...lines);
    assert.ok(card && !('unreadable' in card), JSON.stringify(card));
    return card.fields;
  };

  test('are read card by card: a broken one stops no other, and one without an end is reported', async () => {
    const { contacts, unreadable } = await readText(
      folder,
      'cards.vcf',
      [
        'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Doe;Jane;;;\r\nEND:VCARD',
        'begin:vcard\nversion:4.0\nFN:Only Formatted Name\nend:vcard',
        'BEGIN:VCARD\r\nVERSION:4.0\r\nnonsense without a colon\r\nEND:VCARD',
        'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Cut Off',
        'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Cut Off Too\r\n',
      ].join('\r\n'),
    );
    assert.deepEqual(
      contacts.map(({ line, fields }) => [line, fields]),
      [
        [1, { firstName: 'Jane', lastName: 'Doe' }],
        [5, { firstName: 'Only Formatted', lastName: 'Name' }],
      ],
    );
    assert.deepEqual(unreadable, [
      { line: 9, unreadable: 'it is not a vCard' },
      { line: 13, unreadable: 'the card has no end' },
      { line: 16, unreadable: 'the card has no end' },
    ]);
  });

  test('are folded, escaped and quoted in the ways of every version', async () => {
    assert.deepEqual(await fieldsOf('N:O\\;Hara\\, Jr.;A', ' nn;;;', 'NICKNAME:Annie,Ann'), {
      firstName: 'Ann',
      lastName: 'O;Hara, Jr.',
      nickname: 'Annie',
    });
    assert.equal(
      (await fieldsOf('FN:x', 'TEL;TYPE="home;voice:x",work:1', 'item1.tel;type=cell:212-555-0123')).phone,
      '+12125550123',
    );
    assert.equal(
      (await fieldsOf('FN:x', 'TEL;WORK;VOICE:212-555-0100', 'TEL;CELL:212-555-0123')).phone,
      '+12125550123',
    );
    assert.equal(
      (await fieldsOf('N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:M=C3=BC=', 'ller;J=C3=B6rg')).lastName,
      'Müller',
    );
    assert.equal((await fieldsOf('N;QUOTED-PRINTABLE:M=FCller')).lastName, 'Müller');
    assert.equal((await fieldsOf('N;CHARSET=nonsense;ENCODING=QUOTED-PRINTABLE:M=C3=BCller')).lastName, 'Müller');
    assert.deepEqual(await fieldsOf('FN:Jane Doe', 'PHOTO;ENCODING=b:AAAA', 'BBBB', '', 'CITY:x'), {
      firstName: 'Jane',
      lastName: 'Doe',
    });
  });

  test('of marks and parameters only are read in linear time', async () => {
    const lines = [
      `N${';A=b'.repeat(200_000)}:x`,
      `N;${'"'.repeat(900_000)}:x`,
      `N:${'\\;,'.repeat(300_000)}`,
      'N;A='.repeat(200_000),
      `N:x${'\r\n y'.repeat(200_000)}`,
    ];
    const tookMs = await cpuMs(async () => {
      for (const line of lines) await readLines(line);
    });
    assert.ok(tookMs < 30_000, `${tookMs} ms`);
  });

  test('has a quoted-printable value of many lines read in a moment', async () => {
    const spentMs = await cpuMs(async () => {
      const { firstName } = await fieldsOf(`N;ENCODING=QUOTED-PRINTABLE:;${'a=\r\n'.repeat(200_000)}b`);
      assert.equal(firstName, `${'a'.repeat(200_000)}b`);
    });
    assert.ok(spentMs < 1_000, `${spentMs} ms`);
  });
});
