import type { About } from '../../adapters/files/contacts/reading.ts';
import type { ImportResult } from '../../domain/address-book/contact-imports.ts';
import type { LeftOut, PreparedRow } from '../../domain/ports.ts';
import { inOneLine, safeJson } from '../terminal.ts';
import type { Call } from '../verb.ts';

/** What an import was about, known when it has ended. */
type End = { about: About; region: string; dryRun: boolean; groupsCreated: number };

const valueLengthMax = 40;
const encodings: Record<About['encoding'], string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
};
const separators: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

/** Prints a line for each row that is refused or loses something, and in the end the counts. */
export function makeImportReport({ out, json }: Pick<Call, 'out' | 'json'>) {
  const counts = { created: 0, updated: 0, unchanged: 0, repeated: 0, refused: 0 };
  const leftOut = new Map<string, number>();
  const further = new Map<string, number>();

  function print(
    line: number,
    record: { refused?: string; leftOut: LeftOut[]; kept: string[]; repeats?: number },
  ): void {
    const { refused, repeats } = record;
    const parts = [
      ...(refused ? [`refused: ${refused}`] : []),
      ...(repeats ? [`skipped: the same person as on line ${repeats}`] : []),
      ...(record.leftOut.length > 0 ? [`left out: ${record.leftOut.map(shown).join(', ')}`] : []),
      ...(record.kept.length > 0 ? [`already in the book with a different ${record.kept.join(', ')}`] : []),
    ];
    out.line(json ? safeJson({ line, ...record }) : inOneLine(`line ${line}: ${parts.join('; ')}`));
  }

  function row(prepared: PreparedRow, outcome: ImportResult | undefined): void {
    counts[outcome?.result ?? 'refused'] += 1;
    for (const { why } of prepared.leftOut) leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
    for (const column of prepared.further) further.set(column, (further.get(column) ?? 0) + 1);
    const kept = outcome && 'kept' in outcome ? outcome.kept : [];
    const refused = 'refused' in prepared ? prepared.refused : undefined;
    const repeats = outcome?.result === 'repeated' ? outcome.line : undefined;
    if (refused || repeats || prepared.leftOut.length > 0 || kept.length > 0)
      print(prepared.line, { refused, repeats, leftOut: prepared.leftOut, kept });
  }

  return {
    batch(prepared: PreparedRow[], outcomes: ImportResult[]): void {
      const next = outcomes.values();
      for (const each of prepared) row(each, 'row' in each ? next.next().value : undefined);
    },

    end({ about, region, dryRun, groupsCreated }: End): void {
      if (counts.refused > 0) out.exitCode = 1;
      const { encoding, separator, unused } = about;
      if (json) {
        const lists = { leftOut: Object.fromEntries(leftOut), further: Object.fromEntries(further), unused };
        out.line(safeJson({ dryRun, encoding, separator, region, ...counts, groupsCreated, ...lists }));
      }
      const { created, updated, unchanged, repeated, refused } = counts;
      const separated = separator && `, separated by ${separators[separator] ?? separator}`;
      const notes = [
        `Read as ${encodings[encoding]}${separated ?? ''}, numbers and dates as in ${region}.`,
        dryRun
          ? `Would import ${created}, update ${updated}, skip ${unchanged} already in the book and ${repeated} repeated in the file, refuse ${refused}.`
          : `Imported ${created}, updated ${updated}, skipped ${unchanged} already in the book and ${repeated} repeated in the file, refused ${refused}.`,
        groupsCreated > 0 ? `Groups ${dryRun ? 'to create' : 'created'}: ${groupsCreated}.` : '',
        leftOut.size > 0 ? `Left out: ${listed(leftOut)}.` : '',
        further.size > 0
          ? `Not imported, because a contact has one number, email and address: ${listed(further)}.`
          : '',
        unused.length > 0 ? `Not imported, because a contact has no such field: ${unused.join(', ')}.` : '',
        dryRun ? 'This was a dry run: nothing was changed.' : '',
      ];
      for (const note of notes) if (note !== '') out.note(inOneLine(note));
    },
  };
}

function shown({ column, value, why }: LeftOut): string {
  const text = inOneLine(value);
  const start = text.length > valueLengthMax ? `${[...text].slice(0, valueLengthMax - 1).join('')}…` : text;
  return `${column} “${start}” (${why.replace(/\.$/, '')})`;
}

function listed(counts: Map<string, number>): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([what, count]) => `${count} × ${what.replace(/\.$/, '')}`)
    .join(', ');
}
