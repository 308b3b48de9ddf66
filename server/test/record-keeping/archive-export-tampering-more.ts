import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Line } from '../../src/domain/examiner/entries.mjs';
import { noteCharactersMax } from '../../src/domain/examiner/notes.mjs';
import { type Manifest, manifestNoteText } from '../../src/domain/examiner/package.mjs';
import { signer } from '../archive/small-archive.ts';
import { fitManifest } from './archive-export-tampering.ts';
import { readLines, rezip, unzip, writeLines } from './archive-exports.ts';

/** The first media that was fetched begins with a word and a zero byte. */
export const mediaBytes = Buffer.from('GIF89a\0\x01\xff\r\n--', 'latin1');

/** A change to a package, and the exit code that every verifier must come to. */
export type Change = { name: string; code: 1 | 2 | 3; apply(folder: string): void | Promise<void> };

const at = 3;

function inEntry(name: string, code: Change['code'], edit: (line: Line) => unknown): Change {
  return {
    name,
    code,
    apply(folder) {
      const lines = readLines(folder);
      edit(lines[at] as Line);
      writeLines(folder, lines);
    },
  };
}

function inMedia(name: string, edit: (line: Line) => unknown): Change {
  return inLines(`of media: ${name}`, 1, (lines) => {
    edit(lines.find(({ entry, body }) => entry.kind === 'media_in' && body) as Line);
    return lines;
  });
}

function inLines(name: string, code: Change['code'], arrange: (lines: Line[]) => unknown[]): Change {
  return { name, code, apply: (folder) => writeLines(folder, arrange(readLines(folder))) };
}

function inText(name: string, file: string, code: Change['code'], change: (text: string) => string): Change {
  return {
    name,
    code,
    apply(folder) {
      const path = join(folder, file);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    },
  };
}

function inZip(name: string, code: Change['code'], change: (files: [string, Buffer][]) => [string, Buffer][]): Change {
  return {
    name,
    code,
    async apply(folder) {
      const path = join(folder, 'messages.zip');
      await rezip(path, new Map(change([...unzip(path)])));
    },
  };
}

/** More of what somebody without the key can do. */
export const mediaChanges: Change[] = [
  inMedia('a bit of its body', (line) => {
    const bytes = Buffer.from(mediaBytes);
    bytes[8] = 0xfe;
    line.body = bytes.toString('base64');
  }),
  inMedia('the beginning moved from the body into the salt, as a name', (line) => {
    const name = mediaBytes.subarray(0, mediaBytes.indexOf(0) + 1);
    line.salt = Buffer.concat([Buffer.from(line.salt ?? '', 'base64'), name]).toString('base64');
    line.body = mediaBytes.subarray(name.length).toString('base64');
    line.name = name.toString('utf8', 0, name.length - 1);
  }),
  inMedia('a text next to it', (line) => {
    line.text = 'GIF';
  }),
  inMedia('the phone number next to it', (line) => {
    line.phone = '+15005550006';
  }),
  inMedia('its type', (line) => {
    line.entry.meta = line.entry.meta.replace('image/gif', 'image/png');
  }),
  inZip('of media: the type in its e-mail', 1, (files) =>
    files.map(([name, bytes]) => [
      name,
      name.endsWith('-media.eml')
        ? Buffer.from(`${bytes}`.replace('Content-Type: image/gif', 'Content-Type: text/html'))
        : bytes,
    ]),
  ),
];

export const otherChanges: Change[] = [
  inEntry('an entry is another advisor’s', 1, ({ entry }) => {
    entry.advisorId += 1;
  }),
  inEntry('an entry is about a different person', 1, ({ entry }) => {
    entry.memberId = (entry.memberId ?? 0) + 1;
  }),
  inEntry('an entry is of a different message', 1, ({ entry }) => {
    entry.messageId = null;
  }),
  inEntry('an entry is of a different kind', 1, ({ entry }) => {
    entry.kind = 'review';
  }),
  inEntry('an entry is from a different request', 1, ({ entry }) => {
    entry.traceId = 'f'.repeat(32);
  }),
  inEntry('a space is in the facts', 1, ({ entry }) => {
    entry.meta = `${entry.meta} `;
  }),
  inEntry('a commitment', 1, ({ entry }) => {
    entry.commitment = entry.commitment.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  }),
  inEntry('a commitment is in upper case', 1, ({ entry }) => {
    entry.commitment = entry.commitment.toUpperCase();
  }),
  inEntry('a time without microseconds', 1, ({ entry }) => {
    entry.dateTime = entry.dateTime.replace(/\d{3}Z$/, 'Z');
  }),
  inEntry('a salt is removed', 1, (line) => {
    line.salt = null;
  }),
  inEntry('a text is removed from next to its body', 1, (line) => {
    line.text = null;
  }),
  inEntry('a body is removed, but not its text', 1, (line) => {
    line.body = null;
  }),
  inEntry('the salt has one byte of the body', 1, (line) => {
    const [salt, body] = [line.salt, line.body].map((bytes) => Buffer.from(bytes ?? '', 'base64')) as [Buffer, Buffer];
    line.salt = Buffer.concat([salt, body.subarray(0, 1)]).toString('base64');
    line.body = body.subarray(1).toString('base64');
    line.text = body.subarray(1).toString();
  }),
  inLines('a text’s outcome is a different one', 1, (lines) =>
    lines.map((line) => (line.outcome ? { ...line, outcome: { ...line.outcome, outcome: 'failed' } } : line)),
  ),
  inLines('a text’s outcome names a different carrier', 1, (lines) =>
    lines.map((line) => (line.outcome ? { ...line, outcome: { ...line.outcome, carrier: null } } : line)),
  ),
  inLines('a text was handed over at a different time', 1, (lines) =>
    lines.map((line) =>
      line.outcome ? { ...line, outcome: { ...line.outcome, handedOver: '2020-01-01T00:00:00.000000Z' } } : line,
    ),
  ),
  inLines('nothing says when texts were handed over', 1, (lines) =>
    lines.map((line) => (line.outcome ? { ...line, outcome: { ...line.outcome, handedOver: undefined } } : line)),
  ),
  inText('the manifest is of the first format', 'manifest.json', 1, (text) => text.replace('-v2', '-v1')),
  inLines('outcomes are removed from next to texts', 1, (lines) => lines.map((line) => ({ ...line, outcome: null }))),
  inLines('a line is about something else', 1, (lines) =>
    lines.map((line, index) => (index === at ? { ...line, about: 'nothing' } : line)),
  ),
  inEntry('a proof is too short', 1, (line) => line.proof.pop()),
  inEntry('a proof is too long', 1, (line) => line.proof.push(line.proof[0] ?? '')),
  inEntry('a leaf that the tree doesn’t have', 1, (line) => {
    line.leaf = 1_000_000;
  }),
  inLines('the last entry is removed', 2, (lines) => lines.slice(0, -1)),
  inLines('all entries come in the opposite order', 1, (lines) => lines.toReversed()),
  inLines('a line is empty', 1, (lines) => lines.toSpliced(at, 0, '' as unknown as Line)),
  inLines('the last line is cut short', 1, (lines) => [
    ...lines.slice(0, -1),
    JSON.stringify(lines.at(-1)).slice(0, -20),
  ]),
  inText('the manifest ends earlier', 'manifest.json', 1, (text) =>
    text.replace(/"lastNumber": \d+/, '"lastNumber": 5'),
  ),
  inText('the manifest is about another advisor', 'manifest.json', 1, (text) => text.replace(/"id": \d+/, '"id": 1')),
  inText('the manifest lists fewer files', 'manifest.json', 1, (text) => text.replace(/\n *"messages.zip".*/, '')),
  inText('the manifest is of a different format', 'manifest.json', 1, (text) => text.replace('-v2', '-v3')),
  inText('the checkpoint is of a smaller tree', 'checkpoint', 1, (text) => text.replace(/\n\d+\n/, '\n5\n')),
  inText('the checkpoint is of a different time', 'checkpoint', 1, (text) => text.replace('time 2', 'time 1')),
  inText('the checkpoint has no signature', 'checkpoint', 1, (text) => text.slice(0, text.indexOf('\n\n') + 2)),
  {
    name: 'the checkpoint is an earlier one',
    code: 1,
    apply(folder) {
      const [note] = readFileSync(join(folder, 'earlier-checkpoints'), 'utf8').split(/(?<=\n)\n(?!—)/);
      writeFileSync(join(folder, 'checkpoint'), note ?? '');
    },
  },
  {
    name: 'earlier-checkpoints is removed',
    code: 2,
    apply: (folder) => rmSync(join(folder, 'earlier-checkpoints')),
  },
  {
    name: 'nothing in it is signed',
    code: 3,
    apply(folder) {
      for (const file of ['manifest.note', 'checkpoint'])
        writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(/— .*/, '— nobody'));
    },
  },
];

/** Changes to the e-mails that the list of them is made to fit, or not. */
export const otherEmailChanges: Change[] = [
  inZip('two e-mails are swapped', 1, (files) => {
    const [[oneName, one], [otherName, other], ...rest] = files as [[string, Buffer], [string, Buffer]];
    return [[oneName, other], [otherName, one], ...rest];
  }),
  inZip('the e-mails come in the opposite order', 1, (files) => files.toReversed()),
  inZip('an e-mail has a different name', 1, ([[name, bytes] = ['', Buffer.alloc(0)], ...rest]) => [
    [name.replace('.eml', '.txt'), bytes],
    ...rest,
  ]),
  inZip('an e-mail has one more header', 1, ([[name, bytes] = ['', Buffer.alloc(0)], ...rest]) => [
    [name, Buffer.concat([Buffer.from('X-Note: forged\r\n'), bytes])],
    ...rest,
  ]),
  inZip('the list of e-mails has one line less', 1, (files) =>
    files.map(([name, bytes]) => [
      name,
      name === 'manifest.csv' ? Buffer.from(`${bytes}`.replace(/\r\n.*\r\n/, '\r\n')) : bytes,
    ]),
  ),
  {
    name: 'the ZIP is cut short',
    code: 1,
    apply: (folder) =>
      truncateSync(join(folder, 'messages.zip'), readFileSync(join(folder, 'messages.zip')).length - 40),
  },
];

/** A ZIP's bytes before its directory, its directory, and its end. */
type ZipParts = { files: Buffer; directory: Buffer; end: Buffer };

function inZipBytes(name: string, change: (parts: ZipParts) => ZipParts): Change {
  return {
    name,
    code: 1,
    apply(folder) {
      const path = join(folder, 'messages.zip');
      const zip = readFileSync(path);
      const [begin, last] = [zip.readUInt32LE(zip.length - 6), zip.length - 22];
      const whole = { files: zip.subarray(0, begin), directory: zip.subarray(begin, last), end: zip.subarray(last) };
      const { files, directory, end } = change(whole);
      end.writeUInt32LE(directory.length, 12);
      end.writeUInt32LE(files.length, 16);
      writeFileSync(path, Buffer.concat([files, directory, end]));
    },
  };
}

/** The first record of a directory with an extra field: a name that other programs show instead. */
function renamed(directory: Buffer): Buffer {
  const nameEnd = 46 + directory.readUInt16LE(28);
  const other = Buffer.from('999999-in.eml');
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + other.length, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(directory.subarray(46, nameEnd)), 5);
  const longer = Buffer.concat([directory.subarray(0, nameEnd), field, other, directory.subarray(nameEnd)]);
  longer.writeUInt16LE(field.length + other.length, 30);
  return longer;
}

/** What only somebody with the key can do, who signs the manifest again. */
export const signedChanges: Change[] = [
  {
    name: 'the entries are removed, and the manifest doesn’t list them',
    code: 2,
    apply(folder) {
      const path = join(folder, 'manifest.json');
      const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'));
      delete manifest.files['entries.ndjson'];
      writeFileSync(path, JSON.stringify(manifest));
      rmSync(join(folder, 'entries.ndjson'));
    },
  },
  inText('a text is there twice, first with other words', 'entries.ndjson', 1, (lines) =>
    lines.replace('"text":"Hello"', '"text":"Never said","text":"Hello"'),
  ),
  inText('the checkpoint is longer than a note can be', 'checkpoint', 1, (note) =>
    signer.sign(`${note.slice(0, note.indexOf('\n\n') + 1)}${'x'.repeat(noteCharactersMax)}\n`),
  ),
  inZipBytes('the ZIP has a file that is not in its directory', ({ files, ...rest }) => {
    const first = files.subarray(0, 30 + files.readUInt16LE(26) + files.readUInt32LE(18));
    return { ...rest, files: Buffer.concat([files, first]) };
  }),
  inZipBytes('the ZIP has something between its directory and its end', ({ directory, ...rest }) => ({
    ...rest,
    directory: Buffer.concat([directory, Buffer.alloc(1)]),
  })),
  inZipBytes('an e-mail has a second name in the directory', ({ directory, ...rest }) => ({
    ...rest,
    directory: renamed(directory),
  })),
  inZipBytes('an e-mail’s own header says that it is compressed', (parts) => {
    parts.files.writeUInt16LE(8, 8);
    return parts;
  }),
  inZipBytes('an e-mail has a different size when unpacked', (parts) => {
    parts.directory.writeUInt32LE(0, 24);
    return parts;
  }),
];

/** What somebody with the key can do: the manifest is made to fit, and signed again. */
export function signedAgain({ name, code, apply }: Change): Change {
  return {
    name: `${name}, and the manifest is signed again`,
    code,
    async apply(folder) {
      await apply(folder);
      signAgain(folder);
    },
  };
}

export function signAgain(folder: string): void {
  fitManifest(folder);
  const manifest = readFileSync(join(folder, 'manifest.json'));
  writeFileSync(join(folder, 'manifest.note'), signer.sign(manifestNoteText(manifest)));
}

/** A change at a line, and what must be said about the entry with this number, or about the e-mails. */
type PlacedChange = { number: number | null; what: string; apply: Change['apply'] };

/** What can be done to the entry of a line and to its e-mail. */
export function changesAt(folder: string, index: number): PlacedChange[] {
  const lines = readLines(folder);
  const [line, next] = lines.slice(index) as [Line, Line | undefined];
  const { number } = line.entry;
  const zip = join(folder, 'messages.zip');
  const files = existsSync(zip) ? [...unzip(zip)] : [];
  const at = files.findIndex(([name]) => Number.parseInt(name, 10) === number);
  const [name, bytes] = files[at] ?? ['', Buffer.alloc(0)];
  const entry = (what: string, changed: unknown[]): PlacedChange => ({
    number,
    what,
    apply: (copy) => writeLines(copy, changed),
  });
  const email = (about: number | null, what: string, changed: typeof files): PlacedChange => ({
    number: about,
    what,
    apply: (copy) => rezip(join(copy, 'messages.zip'), new Map(changed)),
  });
  const changes = [
    entry('it was removed', lines.toSpliced(index, 1)),
    entry('it appears twice', lines.toSpliced(index, 0, line)),
  ];
  if (next) changes.push(entry('it was moved', lines.toSpliced(index, 2, next, line)));
  if (line.body) changes.push(entry('its body was altered', lines.with(index, { ...line, salt: 'AAAA' })));
  if (line.outcome) {
    const outcome = { ...line.outcome, dateTime: '2020-01-01T00:00:00.000000Z' };
    changes.push(entry('the outcome next to it was altered', lines.with(index, { ...line, outcome })));
  }
  if (at < 0) return changes;
  const inserted: [string, Buffer] = [name.replace('.eml', '-again.eml'), bytes];
  const list = files.map(([each, of]): [string, Buffer] =>
    each === 'manifest.csv'
      ? [each, Buffer.from(`${of}`.replace(`\r\n${name}`, `\r\n${name.replace('eml', 'txt')}`))]
      : [each, of],
  );
  return [
    ...changes,
    email(number, 'its e-mail is missing', files.toSpliced(at, 1)),
    email(number, 'its e-mail was altered', files.with(at, [name, Buffer.from(`${bytes}`.replace('Date', 'date'))])),
    email(null, `messages.zip: ${inserted[0]} was inserted`, files.toSpliced(at, 0, inserted)),
    email(null, 'messages.zip: its manifest.csv was altered', list),
  ];
}
