import { type Encoding, encodingOf } from '../text/encodings.ts';
import type { TextSource } from '../text/sources.ts';
import { readCsv, separatorIn, type UnusedColumns } from './csv.ts';
import type { FileContact, Unreadable } from './fields.ts';
import type { Region } from './phones.ts';
import { readVcards } from './vcard.ts';

/** What a file turned out to be. A vCard file has no separator, and uses all that it has. */
export type About = UnusedColumns & { encoding: Encoding; separator: string | null };

/** A file of contacts, read as many rows at a time as a chunk of the file has. */
type ContactFile = { about: About; rows: AsyncGenerator<(FileContact | Unreadable)[]> };

export async function openContactFile(
  source: TextSource,
  format: 'csv' | 'vcard',
  region: Region,
): Promise<ContactFile> {
  const encoding = await encodingOf(source);
  const options = { encoding };
  if (format === 'vcard')
    return { about: { encoding, separator: null, unused: [] }, rows: readVcards(source, region, options) };
  const about = { encoding, separator: await separatorIn(source, options), unused: [] };
  return { about, rows: readCsv(source, region, { ...options, separator: about.separator }, about) };
}
