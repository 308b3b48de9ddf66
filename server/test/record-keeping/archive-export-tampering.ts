import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitmentOf, type Line } from '../../src/domain/examiner/entries.mjs';
import type { Manifest } from '../../src/domain/examiner/package.mjs';
import { readLines, rezip, unzip, writeLines } from './archive-exports.ts';

/** A change to a package, and what the examiner must learn: the exit code, and the entry or file that is wrong. */
export type Tampering = {
  name: string;
  code: 1 | 2 | 3;
  /** The number of the entry that must be named, or what the message must say instead. */
  names: number | RegExp;
  what?: RegExp;
  apply(folder: string): void | Promise<void>;
};

/** The entry that is changed: a text to a person, with others around it. */
const at = 3;
const number = at + 1;
/** A change to an entry rather than to a file. */
type Edit = (line: Line) => void;

function edited(name: string, what: RegExp, edit: Edit): Tampering {
  return {
    name,
    code: 1,
    names: number,
    what,
    apply: (folder) =>
      writeLines(
        folder,
        readLines(folder).map((line, index) => {
          if (index === at) edit(line);
          return line;
        }),
      ),
  };
}

function rearranged(
  name: string,
  expected: Pick<Tampering, 'code' | 'names' | 'what'>,
  arrange: (lines: Line[]) => unknown[],
): Tampering {
  return { name, ...expected, apply: (folder) => writeLines(folder, arrange(readLines(folder))) };
}

function zipped(
  name: string,
  expected: Pick<Tampering, 'code' | 'names' | 'what'>,
  change: (files: Map<string, Buffer>, email: string) => void,
): Tampering {
  return {
    name,
    ...expected,
    async apply(folder) {
      const path = join(folder, 'messages.zip');
      const files = unzip(path);
      change(files, `${String(number).padStart(6, '0')}-out.eml`);
      await rezip(path, new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1))));
    },
  };
}

/** A file at this place in the ZIP, whatever its name. */
function inserted(
  name: string,
  file: string,
  at: number,
  change: (zip: Buffer, file: string) => void = () => {},
): Tampering {
  return {
    name,
    code: 1,
    names: new RegExp(`^messages.zip: ${file} was inserted; `),
    async apply(folder) {
      const path = join(folder, 'messages.zip');
      await rezip(path, new Map([...unzip(path)].toSpliced(at, 0, [file, Buffer.from('From: nobody')])));
      const zip = readFileSync(path);
      change(zip, file);
      writeFileSync(path, zip);
    },
  };
}

/** Says in the directory that the file is compressed. */
function compress(zip: Buffer, file: string): void {
  zip.writeUInt16LE(8, zip.lastIndexOf(file) - 46 + 10);
}

function inFile(name: string, file: string, change: (text: string) => string, says: RegExp): Tampering {
  const path = (folder: string) => join(folder, file);
  return {
    name,
    code: 1,
    names: says,
    apply: (folder) => writeFileSync(path(folder), change(readFileSync(path(folder), 'utf8'))),
  };
}

function flipped(encoded: string | null): string {
  const bytes = Buffer.from(encoded ?? '', 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
}

function rewritten(line: Line, text: string): void {
  line.text = text;
  line.body = Buffer.from(text).toString('base64');
  line.entry.commitment = commitmentOf(Buffer.from(line.salt ?? '', 'base64'), Buffer.from(text));
}

const altered = /: it was altered/;
const unproven = /no checkpoints prove that it had been kept/;

/** What somebody without the key can do to entries. */
export const entryTamperings: Tampering[] = [
  edited('a bit of a body', /: its body was altered/, (line) => {
    line.body = flipped(line.body);
    line.text = Buffer.from(line.body, 'base64').toString();
  }),
  edited('a bit of a salt', /: its body was altered/, (line) => {
    line.salt = flipped(line.salt);
  }),
  edited('a word moved from a body into its salt', /: its body was altered/, (line) => {
    const [salt, body] = [line.salt, line.body].map((encoded) => Buffer.from(encoded ?? '', 'base64'));
    assert.ok(salt && body);
    line.salt = Buffer.concat([salt, body.subarray(0, 2)]).toString('base64');
    line.body = body.subarray(2).toString('base64');
    line.text = body.subarray(2).toString();
  }),
  edited('a body, with a commitment that fits', altered, (line) => rewritten(line, 'Never said')),
  edited('the facts of an entry', altered, (line) => {
    line.entry.meta = line.entry.meta.replace('+1', '+2');
  }),
  edited('the time of an entry', altered, (line) => {
    line.entry.dateTime = line.entry.dateTime
      .replace('T', 'T0')
      .replace('T00', 'T01')
      .replace(/T0(\d\d:)/, 'T$1');
    line.entry.dateTime = `2020${line.entry.dateTime.slice(4)}`;
  }),
  edited('who did it', altered, (line) => {
    line.entry.actor = 'person';
  }),
  edited('where it is in the tree', altered, (line) => {
    line.leaf += 1;
  }),
  edited('a proof', altered, (line) => {
    line.proof[0] = flipped(line.proof[0] ?? null);
  }),
  edited('a proof of more hashes than a tree has levels', altered, (line) => {
    line.proof = Array.from({ length: 65 }, () => line.proof[0] ?? '');
  }),
  edited('a number', altered, (line) => {
    line.entry.number += 50;
  }),
  edited('the text next to a body', /the text next to its body was altered/, (line) => {
    line.text = 'Never said';
  }),
  edited('the phone number next to an entry', /the phone number next to it was altered/, (line) => {
    line.phone = '+15005550006';
  }),
  edited('the name next to an entry', /the name next to it was altered/, (line) => {
    line.name = 'Somebody else';
  }),
  edited('the outcome next to a text', /(the outcome next to it|its e-mail) was altered/, (line) => {
    if (line.outcome) line.outcome.outcome = 'undelivered';
  }),
  edited('the outcome next to a text is left out', /(the outcome next to it|its e-mail) was altered/, (line) => {
    line.outcome = null;
  }),
  edited('an outcome that has no entry', /(the outcome next to it|its e-mail) was altered/, (line) => {
    if (line.outcome) line.outcome.number += 1_000;
  }),
  edited('the carrier next to a text', /the outcome next to it was altered/, (line) => {
    if (line.outcome) line.outcome.carrier = 'another';
  }),
  rearranged('a body is removed', { code: 2, names: number, what: /body was removed, and no disposal/ }, (lines) =>
    lines.map((line, index) => (index === at ? { ...line, salt: null, body: null, text: null, name: null } : line)),
  ),
  rearranged('a line is not an entry', { code: 1, names: number, what: altered }, (lines) =>
    lines.map((line, index) => (index === at ? '{"entry": {"number": "four"}}' : line)),
  ),
  rearranged('an entry is removed', { code: 2, names: number, what: /: it was removed/ }, (lines) =>
    lines.toSpliced(at, 1),
  ),
  rearranged('the first entry is removed', { code: 2, names: 1, what: /: it was removed/ }, (lines) => lines.slice(1)),
  rearranged('three entries are removed', { code: 2, names: number, what: /removed, and the 2 after it/ }, (lines) =>
    lines.toSpliced(at, 3),
  ),
  rearranged('all entries are removed', { code: 2, names: 1, what: /: it was removed/ }, () => []),
  rearranged('two entries are swapped', { code: 1, names: number, what: /: it was moved/ }, (lines) =>
    lines.toSpliced(at, 2, lines[at + 1] as Line, lines[at] as Line),
  ),
  rearranged('an entry appears twice', { code: 1, names: number, what: /: it appears twice/ }, (lines) =>
    lines.toSpliced(at + 1, 0, lines[at] as Line),
  ),
  rearranged('a forged entry is inserted', { code: 1, names: number, what: /: it was inserted/ }, (lines) => {
    const forged = structuredClone(lines[at] as Line);
    rewritten(forged, 'Never said');
    return lines.toSpliced(at, 0, forged);
  }),
  rearranged(
    'an entry is removed, and those after it are renumbered',
    { code: 1, names: number, what: altered },
    (lines) => {
      const rest = lines.toSpliced(at, 1);
      for (const line of rest.slice(at)) line.entry.number -= 1;
      return rest;
    },
  ),
];

/** What they can do to the other files in the folder. */
export const fileTamperings: Tampering[] = [
  ...[
    'manifest.json',
    'manifest.note',
    'checkpoint',
    'public-key',
    'entries.ndjson',
    'messages.zip',
    'consistency.ndjson',
  ].map(
    (file): Tampering => ({
      name: `${file} is removed`,
      code: 2,
      names: new RegExp(`^${file} is missing`),
      apply: (folder) => rmSync(join(folder, file)),
    }),
  ),
  {
    name: 'a file is a link to another',
    code: 2,
    names: /^entries.ndjson is missing/,
    apply(folder) {
      rmSync(join(folder, 'entries.ndjson'));
      symlinkSync('/dev/zero', join(folder, 'entries.ndjson'));
    },
  },
  inFile(
    'the manifest has a different period',
    'manifest.json',
    (text) => text.replace('"from": "19', '"from": "18'),
    /^manifest.json is not the one/,
  ),
  inFile('the manifest is not JSON', 'manifest.json', (text) => text.slice(1), /^manifest.json is not the one/),
  inFile(
    'the manifest leads out of the folder',
    'manifest.json',
    (text) => text.replace('"public-key"', '"../../../etc/passwd"'),
    /^manifest.json is not the one/,
  ),
  inFile(
    'the manifest has a different manifest’s note',
    'manifest.note',
    (text) => text.replace(/[0-9a-f]{64}/, '0'.repeat(64)),
    /^manifest.note is not signed/,
  ),
  inFile(
    'the checkpoint has a different root',
    'checkpoint',
    (text) => text.replace(/\n[A-Za-z0-9+/]{4}/, '\nAAAA'),
    /^checkpoint is not signed/,
  ),
  inFile(
    'the public key is a different one',
    'public-key',
    (text) => text.replace('+', '+0'),
    /^public-key is not the file that was signed/,
  ),
  inFile(
    'an earlier checkpoint is left out',
    'earlier-checkpoints',
    (text) => text.slice(text.indexOf('\n\n', text.indexOf('—')) + 2),
    /^earlier-checkpoints is not/,
  ),
  inFile(
    'a consistency proof is a different one',
    'consistency.ndjson',
    (text) => text.replace(/"proof":\["..../, '"proof":["AAAA'),
    /^earlier-checkpoints has one of \d+ entries that is from a different tree/,
  ),
];

/** What they can do to the e-mails. */
export const emailTamperings: Tampering[] = [
  zipped('the body of an e-mail', { code: 1, names: number, what: /its e-mail was altered/ }, (files, email) => {
    const bytes = Buffer.from(files.get(email) ?? '');
    bytes[bytes.length - 4] = 'A'.charCodeAt(0);
    files.set(email, bytes);
  }),
  zipped('the date of an e-mail', { code: 1, names: number, what: /its e-mail was altered/ }, (files, email) => {
    const text = files.get(email)?.toString() ?? '';
    files.set(email, Buffer.from(text.replace(/Date: .{3}, \d\d/, 'Date: Thu, 01')));
  }),
  zipped(
    'an e-mail is longer than it should be',
    { code: 1, names: number, what: /its e-mail was altered/ },
    (files, email) => {
      files.set(email, Buffer.alloc(8 * 1024 * 1024));
    },
  ),
  zipped('an e-mail is removed', { code: 2, names: number, what: /its e-mail is missing/ }, (files, email) => {
    files.delete(email);
  }),
  zipped('an e-mail is inserted', { code: 1, names: /000001-in.eml was inserted/ }, (files, email) => {
    files.set('000001-in.eml', files.get(email) ?? Buffer.alloc(0));
  }),
  inserted('a file is inserted at the beginning', 'zebra.eml', 0),
  inserted('a file with a name that is not ours is inserted', 'README.TXT', 2),
  inserted('an e-mail of a later entry is inserted', '999999-out.eml', 0),
  inserted('a compressed file is inserted', 'notes.txt', 1, compress),
  zipped('a file is inserted at the end', { code: 1, names: /zebra.eml was inserted/ }, (files) => {
    files.set('zebra.eml', Buffer.from('From: nobody'));
  }),
  zipped('the list of e-mails', { code: 1, names: /manifest.csv was altered/ }, (files) => {
    files.set('manifest.csv', Buffer.from(`${files.get('manifest.csv')}`.replace('text_in', 'text_on')));
  }),
  inFile('the ZIP is not a ZIP', 'messages.zip', () => 'PK no more', /^messages.zip is not a ZIP of ours/),
];

/** What they can do to a package whose bodies were disposed of, to make it prove more or less than it does. */
export const disposalTamperings: Tampering[] = [
  rearranged(
    'the disposals are removed',
    { code: 2, names: /^entry \d+ of advisor \d+: its body was removed, and no disposal says so/ },
    (lines) => lines.filter(({ about }) => about !== 'disposal'),
  ),
  rearranged('a retention is removed', { code: 1, names: /^entries.ndjson is not the file that was signed/ }, (lines) =>
    lines.filter(({ about, entry }) => about !== 'rule' || entry.kind !== 'retention'),
  ),
  rearranged('a retention is shorter', { code: 1, names: /^entry \d+ of advisor 0: it was altered/ }, (lines) =>
    lines.map((line) => {
      if (line.entry.kind === 'retention') line.entry.meta = line.entry.meta.replace('6', '1');
      return line;
    }),
  ),
  rearranged('another body is removed', { code: 2, names: /its body was removed, and no disposal/ }, (lines) =>
    lines.map((line) =>
      line.entry.kind === 'disposal' ? line : { ...line, salt: null, body: null, text: null, name: null },
    ),
  ),
  ...['earlier-checkpoints', 'consistency.ndjson'].map(
    (file): Tampering => ({
      name: `the checkpoints that prove them due are removed from ${file}`,
      code: 2,
      names: unproven,
      apply: (folder) => writeFileSync(join(folder, file), ''),
    }),
  ),
  {
    name: 'the times of checkpoints are earlier',
    code: 2,
    names: unproven,
    apply(folder) {
      const path = join(folder, 'earlier-checkpoints');
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/^time 20/gm, 'time 19'));
    },
  },
];

/** Makes the manifest fit the files: somebody without the key can do this, and hope that nobody checks the signature. */
export function fitManifest(folder: string): void {
  const path = join(folder, 'manifest.json');
  const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const name of Object.keys(manifest.files))
    manifest.files[name] = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}
