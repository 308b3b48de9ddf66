/** A field that breaks a rule, and the rule. */
type BrokenField = { field: string; value: unknown; why: string };

/** Removes the fields that break the rules for contacts, and returns them. */
export function removeBroken(
  fields: Record<string, unknown>,
  validate: (fields: unknown) => { value: unknown } | { broken: { path: string; message: string }[] },
): BrokenField[] {
  const removed: BrokenField[] = [];
  // One broken rule may hide another. Each pass removes a field, so the loop ends.
  for (let result = validate(fields); 'broken' in result; result = validate(fields))
    for (const { path, message } of result.broken) {
      const [, field = ''] = path.split('/');
      if (!Object.hasOwn(fields, field)) continue;
      removed.push({ field, value: fields[field], why: message.slice(field.length + 1) });
      delete fields[field];
    }
  return removed;
}
