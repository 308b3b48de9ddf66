import { contentTypes } from '../../../domain/content/content.ts';

/** A row of a file: the line it begins on and its fields by our names, not yet validated. */
export type FileContent = { line: number; fields: Record<string, unknown> };

/** A row that can't be read. */
export type UnreadableItem = { line: number; unreadable: string };

/** Converts values to our form. Other values stay as they are, so that validation can report them. */
export function toFields(row: Record<string, unknown>): Record<string, unknown> {
  const { type, status, keywords, dateTimePublished } = row;
  return {
    ...row,
    type: typeof type === 'string' ? toType(type) : type,
    status: typeof status === 'string' ? status.trim().toLowerCase() : (status ?? 'published'),
    keywords: typeof keywords === 'string' ? toKeywords(keywords) : (keywords ?? []),
    dateTimePublished: typeof dateTimePublished === 'string' ? toDateTime(dateTimePublished) : dateTimePublished,
  };
}

/** `WebContent`, also as `web content`; `Emails` also as `email`. */
function toType(text: string): string {
  const plain = (word: string) => word.toLowerCase().replace(/[^a-z]|s$/g, '');
  return contentTypes.find((type) => plain(type) === plain(text)) ?? text;
}

function toKeywords(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((keyword) => keyword.trim())
    .filter(Boolean);
}

/** A date alone means midnight UTC. */
function toDateTime(text: string): string | null {
  if (text.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? `${text.trim()}T00:00:00Z` : text.trim();
}
