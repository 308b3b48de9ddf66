import type { FileGroup, LeftOut, OwnIds, PreparedRow } from '../../../domain/ports.ts';
import { ContactChange } from '../../../schemas/address-book/contacts.ts';
import { GroupInput } from '../../../schemas/address-book/groups.ts';
import { stringLengthMax } from '../../../schemas/shared/strings.ts';
import { validator } from '../../../schemas/shared/validate.ts';
import type { FileContact, Unreadable } from './fields.ts';
import { removeBroken } from './usable-fields.ts';

const nobody = 'it has no name, email address or phone number that can be used';

/** Checks rows by the rules for contacts. A field that breaks one is left out, and the contact is imported without it. */
export function rowPreparer(): (read: FileContact | Unreadable) => PreparedRow {
  const validate = validator(ContactChange);
  const validateGroup = validator(GroupInput);

  function usableGroups(groups: FileGroup[], leftOut: LeftOut[]): FileGroup[] {
    return groups.filter(({ name, externalId }) => {
      const result = validateGroup({ name, externalGroupId: externalId });
      if (!('broken' in result)) return true;
      leftOut.push({ column: 'groups', value: name, why: 'it can’t be the name of a group' });
      return false;
    });
  }

  return (read) => {
    if ('unreadable' in read) return { line: read.line, refused: read.unreadable, leftOut: [], further: [] };
    const { line, fields, leftOut, further, own } = read;
    if (read.isGroup) return { line, refused: 'it is a group, not a person', leftOut: [], further: [] };
    for (const { field, value, why } of removeBroken(fields, validate))
      leftOut.push({ column: field, value: String(value), why });
    if (!own && !isSomebody(fields)) return { line, refused: nobody, leftOut, further: [] };
    const groups = read.groups.length > 0 ? usableGroups(read.groups, leftOut) : [];
    return { line, row: { line, fields, groups, own: own && usableIds(own) }, leftOut, further };
  };
}

function isSomebody({ firstName, lastName, emailAddress, phone }: Record<string, unknown>): boolean {
  return Boolean(firstName ?? lastName ?? emailAddress ?? phone);
}

function usableIds({ remoteContactId, remoteContactUrl, ...ids }: OwnIds): OwnIds {
  const isUsable = (text: string) => text.isWellFormed() && !text.includes('\0') && [...text].length <= stringLengthMax;
  const isUrl = (text: string) => /^https?:\/\//i.test(text) && isUsable(text);
  return {
    ...ids,
    remoteContactId: remoteContactId && isUsable(remoteContactId) ? remoteContactId : null,
    remoteContactUrl: remoteContactUrl && isUrl(remoteContactUrl) ? remoteContactUrl : null,
  };
}
