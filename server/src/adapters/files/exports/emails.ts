import { unlink } from 'node:fs/promises';
import { emailListLine, emailOf, isEmail } from '../../../domain/examiner/emails.mjs';
import type { ArchiveExport, ProvenEntry } from '../../../domain/record-keeping/archive-export.ts';
import { createHashed } from './hashed-file.ts';
import { createZip } from './zip.ts';

/** A ZIP with an e-mail for each text and each change of consent, and a list of them at the end. */
export async function createEmails(path: string, { advisor, lastNumber, to }: ArchiveExport) {
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
