import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchivePackages } from '../../../domain/ports.ts';
import type { ArchiveExport } from '../../../domain/record-keeping/archive-export.ts';
import { makeFolder, writeExport } from './folder.ts';
import { createZip } from './zip.ts';

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
