import { Feed, type FeedOptions, type Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type {
  CallOptions,
  ChangedContact,
  ContactDetail,
  ContactFilter,
  ContactInput,
  ContactSummary,
  FeedPage,
  GroupMemberships,
  IdResult,
  PostOptions,
} from '../types.ts';

const path = '/core/contact/contacts/{contactId}';

export class Contacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(contact: ContactInput, options: PostOptions = {}): Promise<IdResult> {
    return this.#transport.request({ method: 'POST', path: '/core/contact/contacts', body: contact, ...options });
  }

  /** What is left out stays; `null` clears a field. */
  update(contactId: number, contact: Partial<ContactInput>, options: CallOptions = {}): Promise<IdResult> {
    return this.#transport.request({ method: 'PUT', path, ids: { contactId }, body: contact, ...options });
  }

  get(contactId: number, options: CallOptions = {}): Promise<ContactDetail> {
    return this.#transport.request({ method: 'GET', path, ids: { contactId }, ...options });
  }

  list(filter: ContactFilter = {}, options: CallOptions = {}): Pages<ContactSummary> {
    return this.#transport.pages('/core/contact/contacts', filter, options);
  }

  delete(contactId: number, options: CallOptions = {}): Promise<void> {
    return this.#transport.request({ method: 'DELETE', path, ids: { contactId }, ...options });
  }

  /** The contact is in exactly these groups afterward. */
  replaceGroups(contactId: number, groups: GroupMemberships, options: CallOptions = {}): Promise<IdResult> {
    return this.#transport.request({
      method: 'PUT',
      path: `${path}/groups`,
      ids: { contactId },
      body: groups,
      ...options,
    });
  }

  /** Every change since the cursor, oldest first. It ends when there is no more; store `cursor`, and go on from there next time. */
  changes({ cursor, pageSize, ...options }: FeedOptions = {}): Feed<ChangedContact> {
    const read = (from: string | undefined): Promise<FeedPage<ChangedContact>> =>
      this.#transport.request({
        method: 'GET',
        path: '/core/contact/changes',
        query: { cursor: from, pageSize },
        ...options,
      });
    return new Feed(read, { cursor, ends: true });
  }
}
