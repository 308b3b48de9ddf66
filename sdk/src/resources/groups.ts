import type { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { CallOptions, GroupFilter, GroupInput, GroupSummary, IdResult, PostOptions } from '../types.ts';

export class Groups {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A repeated `externalGroupId` returns the group that has it. */
  create(group: GroupInput, options: PostOptions = {}): Promise<IdResult> {
    return this.#transport.request({ method: 'POST', path: '/core/contact/groups', body: group, ...options });
  }

  list(filter: GroupFilter = {}, options: CallOptions = {}): Pages<GroupSummary> {
    return this.#transport.pages('/core/contact/groups', filter, options);
  }

  /** Its contacts stay. */
  delete(groupId: number, options: CallOptions = {}): Promise<void> {
    return this.#transport.request({
      method: 'DELETE',
      path: '/core/contact/groups/{groupId}',
      ids: { groupId },
      ...options,
    });
  }
}
