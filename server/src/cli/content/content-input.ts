import { getFirm } from '../../domain/accounts/firms.ts';
import type { ContentInput } from '../../domain/content/content.ts';
import { ContentInput as ContentInputSchema } from '../../schemas/content/content.ts';
import { instantOf, validator } from '../../schemas/shared/validate.ts';
import { type Call, wholeNumber } from '../verb.ts';

/** The firm that owns the content; null for content that every firm shares. */
export async function firmOf({ runtime, options }: Call): Promise<number | null> {
  if (options.firm === undefined) return null;
  return (await getFirm(runtime, wholeNumber('--firm', options.firm))).firmId;
}

/** Makes content of fields that obey its rules, or says why it can't. */
export function contentMaker(): (fields: Record<string, unknown>) => { content: ContentInput } | { why: string } {
  const validate = validator(ContentInputSchema);
  return (fields) => {
    const result = validate(fields);
    if ('broken' in result) return { why: result.broken.map(({ message }) => message).join(' ') };
    const { value } = result;
    const published = value.dateTimePublished ? instantOf(value.dateTimePublished) : null;
    return { content: { ...value, summary: value.summary ?? null, dateTimePublished: published } };
  };
}
