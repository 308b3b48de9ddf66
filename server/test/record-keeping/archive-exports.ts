import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, writeExport } from '../../src/adapters/files/exports/packages.ts';
import { createZip } from '../../src/adapters/files/exports/zip.ts';
import type { Deps } from '../../src/deps.ts';
import type { Line } from '../../src/domain/examiner/entries.mjs';
import { type Report, verifyPackage } from '../../src/domain/examiner/package.mjs';
import { type ExportFormat, exportArchive } from '../../src/domain/record-keeping/archive-export.ts';

/** A folder for exports, and an examiner who verifies them. */
export function makeDesk(publicKey: string) {
  const scratch = mkdtempSync(join(tmpdir(), 'assent-export-'));
  const pubkeyFile = join(scratch, 'public-key');
  writeFileSync(pubkeyFile, `${publicKey}\n`);
  let made = 0;
  const path = (name: string) => {
    made += 1;
    return join(scratch, `${made}-${name}`);
  };
  return {
    pubkeyFile,
    path,
    /** The examiner's own file. */
    file(text: string): string {
      const file = path('file');
      writeFileSync(file, text);
      return file;
    },
    copy(folder: string): string {
      const copied = path('copy');
      cpSync(folder, copied, { recursive: true });
      return copied;
    },
    verify(folder: string, checkpoint: string, pubkey = pubkeyFile): Report {
      const checkpointFile = path('checkpoint');
      writeFileSync(checkpointFile, checkpoint);
      return verifyPackage({ packageDir: folder, checkpointFile, pubkeyFile: pubkey });
    },
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

export const always = { from: new Date(0), to: new Date('2100-01-01T00:00:00Z') };

type ExportOptions = { from: Date; to: Date; format: ExportFormat };

export async function exportTo(deps: Deps, folder: string, advisorId: number, asked: Partial<ExportOptions> = {}) {
  const { format = 'eml', from = always.from, to = always.to } = asked;
  await makeFolder(folder);
  const exported = await exportArchive(deps, String(advisorId), { from, to, format });
  const entries = await writeExport(exported, { folder, withEmails: format === 'eml', progress: () => {} });
  return { folder, entries, exported, checkpoint: exported.checkpoint.note };
}

export function readLines(folder: string): Line[] {
  const text = readFileSync(join(folder, 'entries.ndjson'), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
}

export function writeLines(folder: string, lines: unknown[]): void {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  writeFileSync(join(folder, 'entries.ndjson'), text.join(''));
}

/** The files of a ZIP without compression, found by their own headers, one after the other, and not by its directory. */
export function unzip(path: string): Map<string, Buffer> {
  const bytes = readFileSync(path);
  const files = new Map<string, Buffer>();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const nameEnd = at + 30 + bytes.readUInt16LE(at + 26);
    const dataEnd = nameEnd + bytes.readUInt32LE(at + 18);
    files.set(bytes.toString('utf8', at + 30, nameEnd), bytes.subarray(nameEnd, dataEnd));
    at = dataEnd;
  }
  return files;
}

export async function rezip(path: string, files: Map<string, Buffer>): Promise<void> {
  rmSync(path);
  const zip = await createZip(path);
  for (const [name, bytes] of files) await zip.add(name, bytes, new Date(0));
  await zip.close();
}

/** An e-mail's headers, unfolded, and the bytes of its last part. */
export function readEmail(bytes: Buffer): { headers: Map<string, string>; body: Buffer } {
  const [head = '', ...rest] = bytes.toString('latin1').split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]/g, ' ').split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const encoded = (rest.at(-1) ?? '').split('\r\n--')[0] ?? '';
  return { headers, body: Buffer.from(encoded.replaceAll('\r\n', ''), 'base64') };
}
