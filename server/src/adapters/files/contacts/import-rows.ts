import type { LeftOut, PreparedRow } from '../../../domain/ports.ts';
import { ContactChange } from '../../../schemas/address-book/contacts.ts';
import { GroupInput } from '../../../schemas/address-book/groups.ts';
import { validator } from '../../../schemas/shared/validate.ts';
import type { FileContact, Unreadable } from './fields.ts';

const nobody = 'it has no name, email address or phone number that can be used';

/** Checks rows by the rules for contacts. A field that breaks one is left out, and the contact is imported without it. */
export function rowPreparer(): (read: FileContact | Unreadable) => PreparedRow {
  const validate = validator(ContactChange);
  const validateGroup = validator(GroupInput);

  function usableGroups(groups: string[], leftOut: LeftOut[]): string[] {
    return groups.filter((name) => {
      const result = validateGroup({ name });
      if (!('broken' in result)) return true;
      leftOut.push({ column: 'groups', value: name, why: 'it can’t be the name of a group' });
      return false;
    });
  }

  return (read) => {
    if ('unreadable' in read) return { line: read.line, refused: read.unreadable, leftOut: [], further: [] };
    const { line, fields, leftOut, further } = read;
    if (read.isGroup) return { line, refused: 'it is a group, not a person', leftOut: [], further: [] };
    for (const { field, value, why } of removeBroken(fields, validate))
      leftOut.push({ column: field, value: String(value), why });
    if (!isSomebody(fields)) return { line, refused: nobody, leftOut, further: [] };
    const groups = read.groups.length > 0 ? usableGroups(read.groups, leftOut) : [];
    return { line, row: { line, fields, groups }, leftOut, further };
  };
}

function isSomebody({ firstName, lastName, emailAddress, phone }: Record<string, unknown>): boolean {
  return Boolean(firstName ?? lastName ?? emailAddress ?? phone);
}

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
