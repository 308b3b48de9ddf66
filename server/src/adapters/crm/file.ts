import { access, constants, stat } from 'node:fs/promises';
import { type Crm, type CrmAccess, type CrmBatch, CrmFault, type RemoteContact } from '../../domain/ports.ts';
import type { FileContact, Unreadable } from '../files/contacts/fields.ts';
import { isRegion } from '../files/contacts/phones.ts';
import { openContactFile } from '../files/contacts/reading.ts';
import { withFaults } from './faults.ts';
import { type ContactResult, contactsMax, emptyBatch, remoteContact, sorter, withPhone } from './remote-contacts.ts';

type Access = CrmAccess & { kind: 'file' };

const contactsAtOnce = 500;
const bytesMax = 256 * 1024 * 1024;
const notFile = { csv: 'The file can’t be read as CSV.', vcard: 'The file can’t be read as vCards.' };
const withoutId = {
  csv: 'It has no id: add a column “id” with the CRM’s id for the contact.',
  vcard: 'It has no UID: export the cards with their UIDs.',
};

export function openFile(access: Access): Crm {
  return withFaults(notFile[access.format], {
    lookup: (phone, until) => lookUp(access, phone, until),
    list: (_known, until) => listFile(access, until),
  });
}

async function* listFile(access: Access, until: AbortSignal): AsyncGenerator<CrmBatch> {
  const sort = sorter();
  let batch = emptyBatch();
  let count = 0;
  for await (const row of readRows(access, until)) {
    count += 1;
    // A partial file looks as if the other contacts were deleted.
    if ('unreadable' in row && row.hidesRest)
      throw new CrmFault(`${access.path} can’t be read completely: ${row.unreadable} (line ${row.line}).`);
    if (count > contactsMax) throw new CrmFault(`The file has more than ${contactsMax} contacts.`);
    const locator = 'unreadable' in row ? undefined : row.remoteContactId;
    sort(batch, { what: `line ${row.line}`, locator }, contactOf(row, access));
    if (count % contactsAtOnce > 0) continue;
    yield batch;
    batch = emptyBatch();
  }
  // A failed export is more likely than a CRM without contacts.
  if (count === 0) throw new CrmFault(`There are no contacts in ${access.path}.`);
  yield batch;
}

async function lookUp(access: Access, phone: string, until: AbortSignal): Promise<RemoteContact | null> {
  for await (const row of readRows(access, until)) {
    if ('unreadable' in row || !row.phones.includes(phone)) continue;
    const contact = contactOf(row, access);
    if (!('refused' in contact)) return withPhone(contact, phone);
  }
  return null;
}

/** Fails if the file was written to while it was read. */
async function* readRows(
  { path, format, region }: Access,
  until: AbortSignal,
): AsyncGenerator<FileContact | Unreadable> {
  if (!isRegion(region)) throw new CrmFault('Its region is not a country code such as US.');
  const before = await readable(path);
  const { rows } = await openContactFile(path, format, region, until);
  for await (const some of rows) yield* some;
  const after = await readable(path);
  if (before.mtimeNs !== after.mtimeNs || before.size !== after.size || before.ino !== after.ino)
    throw new CrmFault(`${path} was changed while it was read.`);
}

async function readable(path: string) {
  const file = await stat(path, { bigint: true }).catch(() => null);
  if (!file?.isFile()) throw new CrmFault(`There is no file ${path}.`);
  if (file.size > bytesMax) throw new CrmFault(`${path} is over ${bytesMax / 1024 / 1024} MiB.`);
  await access(path, constants.R_OK).catch(() => {
    throw new CrmFault(`${path} can’t be read: the server’s user lacks permission.`);
  });
  return file;
}

function contactOf(row: FileContact | Unreadable, { format }: Access): ContactResult {
  if ('unreadable' in row) return { refused: row.unreadable };
  if (row.isGroup) return { refused: 'It is a group, not a person.' };
  if (row.remoteContactId === '') return { refused: withoutId[format] };
  return remoteContact(row);
}
