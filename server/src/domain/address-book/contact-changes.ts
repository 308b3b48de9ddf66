import type { Deps } from '../../deps.ts';
import { type ChangeRow, listContactsIn, listChanges as listRows } from '../../store/address-book/contact-changes.ts';
import { listContactsWithGroups } from '../../store/address-book/contacts.ts';
import type { KeptRange } from '../../store/shared/feeds.ts';
import { cursorAt, type Feed, type FeedKey, numbersIn, requireKept } from '../shared/feeds.ts';
import type { Contact } from './contacts.ts';

/** A change, with the contact as it is now; a deleted one is gone. */
export type ContactChange = {
  contactId: number;
  change: ChangeRow['change'];
  dateTime: Date;
  contact: Contact | null;
};

/** Rows are read in pieces: most are about one contact, some about thousands. */
const rowsMax = 1_000;
/** Rows about contacts that have been deleted since show nothing. After so many pieces of them the reader asks again. */
const piecesMax = 20;

/**
 * After this row; or, with a contact, in this row after that contact. A row that is about many contacts may take several
 * pages.
 */
export type Position = { number: number; contactId: number | null };
export type FoundChange = { contactId: number; change: ChangeRow; position: Position };

/**
 * The changes of an advisor's contacts in the order of commits, after a cursor or from the first that is kept. A change of a
 * contact that was deleted since is left out: its deletion comes later.
 */
export async function listChanges(
  deps: Deps,
  advisorId: number,
  { cursor, pageSize }: { cursor?: string; pageSize: number },
): Promise<Feed<ContactChange>> {
  const place: FeedKey = { feed: 'changes', advisorId };
  let position = cursor === undefined ? null : positionIn(numbersIn(cursor, place));
  for (let piece = 1; ; piece++) {
    const { found, next, more, kept } = await findChanges(deps, advisorId, position, pageSize);
    // A row that was read in part must be there for the rest of it.
    if (position) requireKept(position.contactId === null ? position.number : position.number - 1, kept);
    position = next;
    if (found.length === 0 && more && piece < piecesMax) continue;
    const { number, contactId } = next;
    const cursor = cursorAt(place, contactId === null ? [number] : [number, contactId]);
    return { data: await withContacts(deps, advisorId, found), cursor, more };
  }
}

function positionIn([number = 0, contactId = null]: (number | null)[]): Position {
  return { number: number ?? 0, contactId };
}

/** Up to `limit` changes after a position, or from the first that is kept, and the position after them. */
export async function findChanges({ db }: Deps, advisorId: number, position: Position | null, limit: number) {
  const from = position === null ? 0 : position.contactId === null ? position.number + 1 : position.number;
  const { kept, changes: rows } = await listRows(db, advisorId, { from, limit: rowsMax + 1 });
  const changes = rows.slice(0, rowsMax).map((row) => restOf(row, position));
  const all = await contactsOf(db, advisorId, changes, limit + 1);
  const found = all.slice(0, limit);
  const isCut = all.length > limit;
  const end = { number: changes.at(-1)?.number ?? before(position, kept), contactId: null };
  const next = (isCut && found.at(-1)?.position) || end;
  return { found, next, more: isCut || rows.length > rowsMax, kept };
}

/** Where a reader is who has nothing to read. */
function before(position: Position | null, { first }: KeptRange): number {
  return position?.number ?? first - 1;
}

/** Without the contacts that were read before. */
function restOf(row: ChangeRow, position: Position | null): ChangeRow {
  const isCut = position?.number === row.number && position.contactId !== null;
  return isCut ? { ...row, firstContactId: (position.contactId ?? 0) + 1 } : row;
}

/** The contacts that changes are about, in order; those that are gone only for their deletion. */
async function contactsOf(
  db: Deps['db'],
  advisorId: number,
  changes: ChangeRow[],
  limit: number,
): Promise<FoundChange[]> {
  const present = changes.filter(({ change }) => change !== 'deleted');
  const inBook = (await listContactsIn(db, advisorId, present, limit)).map(({ position, contactId }) =>
    foundIn(present[position] as ChangeRow, contactId),
  );
  const deleted = changes
    .filter(({ change }) => change === 'deleted')
    .flatMap((change) => idsOf(change, limit).map((contactId) => foundIn(change, contactId)));
  return [...inBook, ...deleted]
    .sort((one, other) => one.change.number - other.change.number || one.contactId - other.contactId)
    .slice(0, limit);
}

function foundIn(change: ChangeRow, contactId: number): FoundChange {
  const isLast = contactId === change.lastContactId;
  return { contactId, change, position: { number: change.number, contactId: isLast ? null : contactId } };
}

function idsOf({ firstContactId, lastContactId }: ChangeRow, limit: number): number[] {
  const count = Math.min(limit, lastContactId - firstContactId + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => firstContactId + index);
}

async function withContacts({ db }: Deps, advisorId: number, found: FoundChange[]): Promise<ContactChange[]> {
  const ids = found.flatMap(({ change, contactId }) => (change.change === 'deleted' ? [] : contactId));
  const contacts = ids.length > 0 ? await listContactsWithGroups(db, advisorId, [...new Set(ids)]) : [];
  const byId = new Map(contacts.map((contact) => [contact.contactId, contact]));
  return found.flatMap(({ change: { change, dateTime }, contactId }): ContactChange[] => {
    if (change === 'deleted') return [{ contactId, change, dateTime, contact: null }];
    const contact = byId.get(contactId);
    // Deleted a moment ago: that is a change to come.
    return contact ? [{ contactId, change, dateTime, contact }] : [];
  });
}
