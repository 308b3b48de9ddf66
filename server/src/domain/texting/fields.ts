/** What a saved reply or a group's text may leave open: {firstName}, or with what stands in for it, {firstName|there}. */
export const fieldNames = ['firstName', 'lastName', 'nickname'] as const;
export type FieldName = (typeof fieldNames)[number];
export type FilledText = { text: string; missing: FieldName[] };

/** Any other braces are the advisor's own. A fallback may be empty, and has no braces in it. */
const field = new RegExp(`\\{(${fieldNames.join('|')})(?:\\|([^{}]*))?\\}`, 'g');

/** A field that is neither known nor has a fallback stays as it is, and is named. */
export function fillFields(text: string, person: Partial<Record<FieldName, string | null>>): FilledText {
  const missing = new Set<FieldName>();
  const filled = text.replace(field, (whole, name: FieldName, fallback: string | undefined) => {
    const value = person[name]?.trim() || fallback;
    if (value === undefined) missing.add(name);
    return value ?? whole;
  });
  return { text: filled, missing: [...missing] };
}
