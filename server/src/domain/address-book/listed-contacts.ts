import type { Deps } from '../../deps.ts';
import { countBook } from '../../store/address-book/contact-pages.ts';
import { listContacts } from '../../store/address-book/contact-search.ts';
import type { Texting } from '../../store/address-book/listed-contacts.ts';
import * as store from '../../store/address-book/listed-contacts.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import { listPendingTargets } from '../../store/shared/pending-actions.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { searchWords } from '../shared/text/folding.ts';
import type { ContactSearch, ContactSummary } from './contacts.ts';
import { type Group, type GroupSearch, searchGroups } from './groups.ts';

/** Which contacts the advisor's app lists. */
export type ListFilter = { search?: string; groupId?: number; consent?: ConsentState };
export type ListedContact = ContactSummary & { texting: Omit<Texting, 'phone'> | null };

/** As the advisor's app lists them: with what the number is good for, and without those that are being deleted. */
export async function listWithTexting(
  deps: Deps,
  advisorId: number,
  { search, groupId, consent, ...page }: ListFilter & PageRequest<ContactSearch['sortBy']>,
): Promise<Page<ListedContact>> {
  const filter = await filterOf(deps, advisorId, { search, groupId, consent });
  const { total, contacts } = await listContacts(deps.db, advisorId, filter, rowsOf(page));
  const phones = contacts.flatMap(({ phone }) => phone ?? []);
  const texting = new Map((await store.listTexting(deps.db, advisorId, phones)).map((each) => [each.phone, each]));
  const listed = contacts.map((contact) => ({ ...contact, texting: texting.get(contact.phone ?? '') ?? null }));
  return pageOf(page, total, listed);
}

/** In the words of the store, and of the moment: what is being deleted is left out. */
export async function filterOf({ db }: Pick<Deps, 'db'>, advisorId: number, filter: FilterInput<ListFilter>) {
  const [without, leftGroups] = await Promise.all([
    listPendingTargets(db, advisorId, 'delete_contacts'),
    listPendingTargets(db, advisorId, 'delete_group'),
  ]);
  const { search = '', groupId, consent } = filter;
  const isGone = groupId !== undefined && leftGroups.includes(groupId);
  return { words: searchWords(search), groupId: isGone ? -1 : groupId, consent, without };
}

type FilterInput<Filter> = { [Name in keyof Filter]: Filter[Name] | undefined };

export async function listGroups(deps: Deps, advisorId: number, search: GroupSearch): Promise<Page<Group>> {
  const [page, leaving] = await Promise.all([
    searchGroups(deps, advisorId, search),
    listPendingTargets(deps.db, advisorId, 'delete_group'),
  ]);
  return { ...page, data: page.data.filter(({ groupId }) => !leaving.includes(groupId)) };
}

/** How many contacts there are altogether, and in each state of consent. */
export async function countContacts({ db }: Pick<Deps, 'db'>, advisorId: number) {
  const without = await listPendingTargets(db, advisorId, 'delete_contacts');
  const [{ total: everybody }, states] = await Promise.all([
    countBook(db, advisorId, without),
    store.countByConsent(db, advisorId, without),
  ]);
  return { everybody, states: Object.fromEntries(states.map(({ state, count }) => [state, count])) };
}
