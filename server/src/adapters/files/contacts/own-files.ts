import type { ExportedGroup } from '../../../domain/address-book/contact-exports.ts';
import type { FileGroup, OwnIds } from '../../../domain/address-book/contact-imports.ts';
import type { SingleName } from './columns.ts';
import { splitValues } from './fields.ts';

/** The columns of our own export. */
export const csvColumns = [
  ...['contactId', 'identifier', 'firstName', 'lastName', 'nickname', 'emailAddress', 'phone', 'birthDate'],
  ...['clientAnniversary', 'gender', 'maritalStatus', 'address1', 'address2', 'city', 'state', 'postalCode'],
  ...['groups', 'groupIds', 'groupExternalIds', 'remoteContactId', 'remoteContactUrl'],
];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Google's own groups, which everybody is in: `* myContacts`. */
const systemGroup = /^\* |^myContacts$/;
const between = ' ::: ';

export function isIdentifier(text: string): boolean {
  return uuid.test(text.trim());
}

/** The ids of a contact that we exported. */
export function ownIdsOf(texts: Record<keyof OwnIds, string>): OwnIds | null {
  if (!isIdentifier(texts.identifier)) return null;
  return {
    identifier: texts.identifier.trim().toLowerCase(),
    contactId: /^\d{1,15}$/.test(texts.contactId.trim()) ? Number(texts.contactId) : null,
    remoteContactId: texts.remoteContactId || null,
    remoteContactUrl: texts.remoteContactUrl || null,
  };
}

/** Groups as Google (` ::: `) and Outlook (`;`) write them. */
export function groupsIn({ column, text }: { column: string; text: string }): FileGroup[] {
  if (text === '') return [];
  const names = /^categories$/i.test(column) ? text.split(';') : splitValues(text);
  return namedGroups(names);
}

export function namedGroups(names: string[]): FileGroup[] {
  const groups = new Set(names.map((name) => name.trim()).filter((name) => name !== '' && !systemGroup.test(name)));
  return [...groups].map((name) => ({ name, groupId: null, externalId: null }));
}

/** The groups of a contact that we exported. If somebody has edited the names, the ids no longer fit, and names count. */
export function ownGroupsIn(text: (name: SingleName) => string): FileGroup[] {
  const [names, ids, externalIds] = [
    listIn(text('groups')),
    listIn(text('groupIds')),
    listIn(text('groupExternalIds')),
  ];
  if (ids.length !== names.length) return namedGroups(names);
  return names.map((name, index) => ({ name, groupId: Number(ids[index]), externalId: externalIds[index] || null }));
}

export function writeGroups(groups: ExportedGroup[]): Record<'groups' | 'groupIds' | 'groupExternalIds', string> {
  const hasExternalIds = groups.some(({ externalId }) => externalId !== null);
  return {
    groups: listOf(groups.map(({ name }) => name)),
    groupIds: listOf(groups.map(({ groupId }) => String(groupId))),
    groupExternalIds: hasExternalIds ? listOf(groups.map(({ externalId }) => externalId ?? '')) : '',
  };
}

/** Texts in one cell, for people to read; as JSON if they couldn't be told apart. */
function listOf(texts: string[]): string {
  const isPlain = texts.every((text) => text !== '' && text === text.trim() && !text.includes(':::'));
  return isPlain && !texts[0]?.startsWith('[') ? texts.join(between) : JSON.stringify(texts);
}

function listIn(cell: string): string[] {
  if (cell === '') return [];
  if (cell.startsWith('["'))
    try {
      const texts: unknown = JSON.parse(cell);
      if (Array.isArray(texts)) return texts.map(String);
    } catch {}
  return splitValues(cell);
}
