import { type Encoding, encodingOf } from '../text/encodings.ts';
import { readCsv, separatorIn } from './csv.ts';
import type { FileContact, Unreadable } from './fields.ts';
import type { Region } from './phones.ts';
import { readVcards } from './vcard.ts';

export type ContactFormat = 'csv' | 'vcard';

/** What a file turned out to be. */
export type About = {
  encoding: Encoding;
  /** Of a CSV file. */
  separator: string | null;
  /** Headings of columns that have something, but nothing that a contact has; complete when all rows are read. */
  unused: string[];
};

export type ReadOptions = { region: Region; encoding: Encoding; until?: AbortSignal };

/** A file of contacts, read as many rows at a time as a chunk of the file has. */
export type ContactFile = { about: About; rows: AsyncGenerator<(FileContact | Unreadable)[]> };

export async function openContactFile(
  path: string,
  format: ContactFormat,
  region: Region,
  until?: AbortSignal,
): Promise<ContactFile> {
  const encoding = await encodingOf(path, until);
  const options = { region, encoding, until };
  if (format === 'vcard') {
    const about = { encoding, separator: null, unused: [] };
    return { about, rows: readVcards(path, options) };
  }
  const about = { encoding, separator: await separatorIn(path, options), unused: [] };
  return { about, rows: readCsv(path, options, about) };
}
