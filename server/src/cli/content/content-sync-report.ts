import type { ListingRefusal } from '../../adapters/files/content/listings.ts';
import type { ContentInput, SaveResult } from '../../domain/content/content.ts';
import { inOneLine, safeJson } from '../terminal.ts';
import type { Call } from '../verb.ts';

export type SyncReport = ReturnType<typeof makeReport>;

/** Prints a line per change and refusal, and counts them all. */
export function makeReport({ out, json }: Call) {
  const counts = { added: 0, changed: 0, unchanged: 0, refused: 0, archived: 0, missing: 0, left: 0 };
  const print = (result: string, text: string, record: Record<string, unknown>) =>
    out.line(json ? safeJson({ result, ...record }) : inOneLine(`${result}: ${text}`));
  return {
    counts,
    saved(saved: SaveResult, { title, url }: ContentInput): void {
      counts[saved] += 1;
      if (saved !== 'unchanged') print(saved, `${title} (${url})`, { title, url });
    },
    refused(refusal: ListingRefusal): void {
      counts.refused += 1;
      print('refused', sentence(refusal), refusal);
    },
    archived(url: string): void {
      counts.archived += 1;
      print('archived', url, { url });
    },
    end(): void {
      const { added, changed, unchanged, refused, archived, missing, left } = counts;
      const notes = [
        `Added ${added}, changed ${changed}, unchanged ${unchanged}, refused ${refused}.`,
        archived > 0 ? `Archived ${archived}.` : '',
        missing > 0 ? `No longer listed: ${missing}, which --archive-missing would archive.` : '',
        left > 0 ? `Left for the next run: ${left}.` : '',
      ];
      out.note(notes.filter(Boolean).join(' '));
    },
  };
}

/** Some reasons begin with the address that they are about. */
export function sentence({ what, why }: ListingRefusal): string {
  return why.startsWith('http') ? why : `${what}: ${why}`;
}
