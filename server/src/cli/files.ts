import { createReadStream, statSync } from 'node:fs';
import { UsageError } from './verb.ts';

export function requireFile(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${path}.`);
}

/** Progress is shown by lines. */
export async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}

export const contactFormatOption = {
  oneOf: ['csv', 'vcard'],
  about: 'The file’s format; by default its extension decides.',
} as const;

export function contactFormatOf(path: string, given: string | undefined): 'csv' | 'vcard' {
  if (given === 'csv' || given === 'vcard') return given;
  if (/\.(csv|tsv)$/i.test(path)) return 'csv';
  if (/\.(vcf|vcard)$/i.test(path)) return 'vcard';
  throw new UsageError('The file ends in neither .csv nor .vcf: add --format csv or --format vcard.');
}
