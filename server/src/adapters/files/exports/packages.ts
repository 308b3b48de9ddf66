import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emailListLine, emailOf, isEmail } from '../../../domain/examiner/emails.mjs';
import { nameIn, textOf } from '../../../domain/examiner/entries.mjs';
import { manifestNoteText, packageFormat } from '../../../domain/examiner/package.mjs';
import type { ArchivePackages } from '../../../domain/ports.ts';
import { problem } from '../../../domain/problems.ts';
import type { ArchiveExport, ProvenEntry } from '../../../domain/record-keeping/archive-export.ts';
import { createHashed } from './hashed-file.ts';
import { createZip } from './zip.ts';

type ExportOptions = { folder: string; withEmails: boolean; progress(done: number, total: number): void };

/** Makes a folder for an export that only its owner can read. It may exist if it is empty. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw problem('invalid_request', `${folder} is not empty.`);
}

/** Writes the files that an examiner gets. The manifest comes last: an incomplete export has none. Returns how many entries. */
export async function writeExport(exported: ArchiveExport, asked: ExportOptions): Promise<number> {
  const files: Record<string, string> = {};
  const write = async (name: string, bytes: string | Buffer) => {
    files[name] = await writeFile(join(asked.folder, name), bytes);
  };
  const { checkpoint, earlier, signer, size } = exported;
  await write('checkpoint', checkpoint.note);
  await write('public-key', `${signer.publicKey}\n`);
  await write('earlier-checkpoints', earlier.map(({ note }) => `${note}\n`).join(''));
  await write(
    'consistency.ndjson',
    earlier
      .map(({ size: from, proof }) => `${JSON.stringify({ from, to: size, proof: proof.map(inBase64) })}\n`)
      .join(''),
  );
  const entries = await writeEntries(exported, asked, files);
  const manifest = Buffer.from(`${JSON.stringify(manifestOf(exported, entries, files), null, 2)}\n`);
  await writeFile(join(asked.folder, 'manifest.json'), manifest);
  await writeFile(join(asked.folder, 'manifest.note'), signer.sign(manifestNoteText(manifest)));
  return entries;
}

async function writeFile(path: string, bytes: string | Buffer): Promise<string> {
  const file = await createHashed(path);
  await file.write(bytes);
  return file.close();
}

async function writeEntries(
  exported: ArchiveExport,
  { folder, withEmails, progress }: ExportOptions,
  files: Record<string, string>,
): Promise<number> {
  const { firstNumber, lastNumber } = exported;
  const total = firstNumber === null || lastNumber === null ? 0 : lastNumber - firstNumber + 1;
  const file = await createHashed(join(folder, 'entries.ndjson'));
  const emails = withEmails ? await createEmails(join(folder, 'messages.zip'), exported) : null;
  for await (const rows of exported.disposals())
    for (const row of rows) await file.write(entryLine({ about: 'disposal' }, row));
  for (const pages of [exported.rules(), exported.explanations()])
    for await (const rows of pages) for (const row of rows) await file.write(entryLine({ about: 'rule' }, row));
  let entries = 0;
  for await (const rows of exported.entries()) {
    for (const row of rows) {
      await file.write(entryLine({}, row));
      await emails?.add(row);
    }
    entries += rows.length;
    progress(entries, total);
  }
  files['entries.ndjson'] = await file.close();
  if (emails) files['messages.zip'] = await emails.close();
  return entries;
}

/** The proof covers the entry, and its body by the commitment; the rest is there for people to read, and can be checked. */
function entryLine(flags: { about?: 'disposal' | 'rule' }, row: ProvenEntry): string {
  const { leaf, salt, body, phone, outcome, proof, ...entry } = row;
  const bytes = { salt: salt && inBase64(salt), body: body && inBase64(body), text: body && textOf(entry, body) };
  return `${JSON.stringify({ ...flags, entry, leaf, proof: proof.map(inBase64), ...bytes, phone, name: nameIn(salt), outcome })}\n`;
}

function manifestOf(exported: ArchiveExport, entries: number, files: Record<string, string>) {
  const { advisor, from, to, firstNumber, lastNumber, size, clockMoves } = exported;
  return { format: packageFormat, advisor, from, to, firstNumber, lastNumber, entries, size, clockMoves, files };
}

function inBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}

/** A ZIP with an e-mail for each text and each change of consent, and a list of them at the end. */
async function createEmails(path: string, { advisor, lastNumber, to }: ArchiveExport) {
  const zip = await createZip(path);
  const listPath = `${path}.list`;
  const list = await createHashed(listPath);
  await list.write(emailListLine());
  return {
    async add(row: ProvenEntry): Promise<void> {
      if (!isEmail(row)) return;
      const { leaf, salt, body, outcome, dateTime } = row;
      const email = body && emailOf({ advisor, lastNumber: lastNumber ?? 0, entry: row, leaf, salt, body, outcome });
      await list.write(emailListLine({ entry: row, leaf, email }));
      if (email) await zip.add(email.name, email.bytes, new Date(dateTime));
    },
    async close(): Promise<string> {
      await list.close();
      await zip.addWritten('manifest.csv', listPath, to);
      await unlink(listPath);
      return zip.close();
    },
  };
}

const partBytes = 1024 * 1024;

/** The folder that `assent archive export` writes, as a ZIP. It is on disk while it is made: its manifest has the hash of each file. */
export const archivePackages: ArchivePackages = {
  async *zip(given, { withEmails, progress }) {
    const exported = given as ArchiveExport;
    const scratch = await mkdtemp(join(tmpdir(), 'assent-export-'));
    try {
      const folder = join(scratch, 'package');
      await makeFolder(folder);
      await writeExport(exported, { folder, withEmails, progress });
      const path = join(scratch, 'package.zip');
      const zip = await createZip(path);
      for (const name of (await readdir(folder)).sort()) await zip.addWritten(name, join(folder, name), exported.to);
      await zip.close();
      yield* createReadStream(path, { highWaterMark: partBytes });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
};
