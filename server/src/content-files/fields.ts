import { contentTypes } from '../domain/content/content.ts';

/** A row of a file: where it begins, and its fields as we name them, not yet validated. */
export type FileContent = { line: number; fields: Record<string, unknown> };

/** A row that can't even be read. */
export type Unreadable = { line: number; unreadable: string };

/** What files write in their own ways, in ours; what means nothing stays as it is, for the rule to name. */
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

/** A day is its beginning, in UTC. */
function toDateTime(text: string): string | null {
  if (text.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? `${text.trim()}T00:00:00Z` : text.trim();
}
