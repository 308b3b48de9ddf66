import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileContact, Unreadable } from '../../../../src/adapters/files/contacts/fields.ts';
import type { Region } from '../../../../src/adapters/files/contacts/phones.ts';
import { type About, openContactFile } from '../../../../src/adapters/files/contacts/reading.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
export const fixtureNames = readdirSync(fixtures);

/** Files as the programs write them, bytes and all. */
export function fixture(name: string): string {
  return join(fixtures, name);
}

export type FileContents = { about: About; contacts: FileContact[]; unreadable: Unreadable[] };

export async function readFile(path: string, region: Region = 'US'): Promise<FileContents> {
  const { about, rows } = await openContactFile(path, path.endsWith('.vcf') ? 'vcard' : 'csv', region);
  const all = (await Array.fromAsync(rows)).flat();
  return {
    about,
    contacts: all.flatMap((row) => ('unreadable' in row ? [] : row)),
    unreadable: all.flatMap((row) => ('unreadable' in row ? row : [])),
  };
}

export async function readText(
  folder: string,
  name: string,
  text: string | Buffer,
  region?: Region,
): Promise<FileContents> {
  const path = join(folder, name);
  writeFileSync(path, text);
  return readFile(path, region);
}
