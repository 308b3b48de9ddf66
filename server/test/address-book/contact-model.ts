import { word } from '../../src/domain/shared/enumerations.ts';

/** An address book as plain maps: it keeps the promises without regard to speed. */
export type ModelContact = {
  contactId: number;
  firstName: string | null;
  lastName: string | null;
  emailAddress: string | null;
  phone: string | null;
  source: number;
  emailStatus: string;
  createdMs: number;
  modifiedMs: number;
  groupIds: Set<number>;
};
export type ModelGroup = {
  groupId: number;
  name: string;
  externalId: string | null;
  createdMs: number;
  modifiedMs: number;
};
export type Fields = Partial<Pick<ModelContact, 'firstName' | 'lastName' | 'emailAddress' | 'phone'>>;
export type Order = { sortBy: string; sortDirection: 'asc' | 'desc' };
export type Filter = { search?: string; phone?: string; email?: string; groupId?: number; modifiedSince?: string };
type Key = string | number | null;

// English sorts like the root collation, both in Node and in the database.
const collator = new Intl.Collator('en');
const blockedEmail = ['Unsubscribed', 'Bounced', 'Disabled'];

export class BookModel {
  readonly contacts = new Map<number, ModelContact>();
  readonly groups = new Map<number, ModelGroup>();
  nowMs = Date.now();

  create(contactId: number, fields: Fields, source: number): void {
    const unset = { firstName: null, lastName: null, emailAddress: null, phone: null };
    const times = { createdMs: this.nowMs, modifiedMs: this.nowMs };
    const groupIds = new Set<number>();
    this.contacts.set(contactId, { ...unset, ...fields, ...times, contactId, source, emailStatus: 'None', groupIds });
  }

  update(contact: ModelContact, fields: Fields): void {
    const unset = ([, value]: [string, unknown]) => value ?? null;
    if (Object.entries(fields).some((each) => contact[each[0] as keyof ModelContact] !== unset(each)))
      Object.assign(contact, fields, { modifiedMs: this.nowMs });
  }

  delete(contact: ModelContact): void {
    this.replaceMemberships(contact, []);
    this.contacts.delete(contact.contactId);
  }

  replaceMemberships(contact: ModelContact, groupIds: Iterable<number>): void {
    const wanted = new Set(groupIds);
    const changed = wanted.symmetricDifference(contact.groupIds);
    contact.groupIds = wanted;
    if (changed.size > 0) contact.modifiedMs = this.nowMs;
    for (const groupId of changed) Object.assign(this.groups.get(groupId) ?? {}, { modifiedMs: this.nowMs });
  }

  createGroup(groupId: number, name: string, externalId: string | null): void {
    if (!this.groups.has(groupId))
      this.groups.set(groupId, { groupId, name, externalId, createdMs: this.nowMs, modifiedMs: this.nowMs });
  }

  deleteGroup({ groupId }: ModelGroup): void {
    for (const contact of this.contacts.values()) contact.groupIds.delete(groupId);
    this.groups.delete(groupId);
  }

  sorted({ sortBy, sortDirection }: Order, filter: Filter = {}): ModelContact[] {
    const keys: Record<string, (contact: ModelContact) => Key> = {
      fullName,
      email: (contact) => contact.emailAddress,
      emailStatus: (contact) => contact.emailStatus,
      groupCount: (contact) => contact.groupIds.size,
      source: (contact) => contact.source,
      dateTimeCreated: (contact) => contact.createdMs,
      dateTimeModified: (contact) => contact.modifiedMs,
    };
    const found = [...this.contacts.values()].filter((contact) => matches(contact, filter));
    return inOrder(found, keys[sortBy], (contact) => contact.contactId, sortDirection);
  }

  summary(contact: ModelContact): object {
    const { contactId, emailStatus, source, groupIds, phone } = contact;
    const groups = [...this.groups.values()].sort((x, y) => x.groupId - y.groupId);
    return withoutNulls({
      contactId,
      fullName: fullName(contact),
      firstName: contact.firstName,
      lastName: contact.lastName,
      email: contact.emailAddress,
      phone,
      emailStatus,
      emailAddressDisposition: 0,
      status: blockedEmail.includes(emailStatus) && phone === null ? 'Inactive' : 'Active',
      source,
      sourceText: word('source', source),
      groupCount: groupIds.size,
      groupNames: groups.filter((group) => groupIds.has(group.groupId)).map((group) => group.name),
      isCrmLinkedContact: false,
      dateTimeCreated: new Date(contact.createdMs).toISOString(),
      dateTimeModified: new Date(contact.modifiedMs).toISOString(),
    });
  }

  sortedGroups({ sortBy, sortDirection }: Order): ModelGroup[] {
    const keys: Record<string, (group: ModelGroup) => Key> = {
      name: (group) => group.name,
      dateTimeCreated: (group) => group.createdMs,
      dateTimeModified: (group) => group.modifiedMs,
      contactCount: (group) => this.membersOf(group).length,
    };
    return inOrder([...this.groups.values()], keys[sortBy], (group) => group.groupId, sortDirection);
  }

  groupSummary(group: ModelGroup): object {
    const { groupId, name, externalId, createdMs, modifiedMs } = group;
    return withoutNulls({
      groupId,
      externalId,
      name,
      dateTimeCreated: new Date(createdMs).toISOString(),
      dateTimeModified: new Date(modifiedMs).toISOString(),
      contactCount: this.membersOf(group).length,
      source: 2,
    });
  }

  private membersOf({ groupId }: ModelGroup): ModelContact[] {
    return [...this.contacts.values()].filter((contact) => contact.groupIds.has(groupId));
  }
}

function fullName({ firstName, lastName, phone, emailAddress }: ModelContact): string {
  return `${firstName ?? ''} ${lastName ?? ''}`.trim() || (phone ?? emailAddress ?? 'Unnamed');
}

function matches(contact: ModelContact, { search = '', phone, email, groupId, modifiedSince }: Filter): boolean {
  return (
    fold(search)
      .split(' ')
      .every((each) => begins(contact, each)) &&
    (phone === undefined || contact.phone === phone) &&
    (email === undefined || contact.emailAddress?.toLowerCase() === email.toLowerCase()) &&
    (groupId === undefined || contact.groupIds.has(groupId)) &&
    (modifiedSince === undefined || contact.modifiedMs >= Date.parse(modifiedSince))
  );
}

function begins({ firstName, lastName, emailAddress, phone }: ModelContact, word: string): boolean {
  const words = fold(`${firstName ?? ''} ${lastName ?? ''} ${emailAddress ?? ''}`).split(/[^\p{L}\p{N}]+/u);
  return words.some((each) => each.startsWith(word)) || (/^\d+$/.test(word) && (phone?.includes(word) ?? false));
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ø', 'o').replaceAll('ß', 'ss');
}

function inOrder<Item>(
  items: Item[],
  keyOf: ((item: Item) => Key) | undefined,
  idOf: (item: Item) => number,
  direction: 'asc' | 'desc',
): Item[] {
  if (!keyOf) throw new Error('The model doesn’t know that sort.');
  const sign = direction === 'asc' ? 1 : -1;
  const keyed = items.map((item) => ({ item, key: keyOf(item), id: idOf(item) }));
  keyed.sort((x, y) => {
    if (x.key === null || y.key === null) return Number(x.key === null) - Number(y.key === null) || x.id - y.id;
    return sign * compareKeys(x.key, y.key) || x.id - y.id;
  });
  return keyed.map(({ item }) => item);
}

function compareKeys(x: string | number, y: string | number): number {
  if (x === y) return 0;
  if (typeof x === 'number' || typeof y === 'number') return Number(x) - Number(y);
  return collator.compare(x, y) || Buffer.compare(Buffer.from(x), Buffer.from(y));
}

function withoutNulls(summary: object): object {
  return Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== null));
}
