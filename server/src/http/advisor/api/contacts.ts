import * as contacts from '../../../domain/address-book/contacts.ts';
import * as groups from '../../../domain/address-book/groups.ts';
import * as listed from '../../../domain/address-book/listed-contacts.ts';
import { deleteLater, listDeletes, undoDelete } from '../../../domain/address-book/pending-deletes.ts';
import { undoMs } from '../../../domain/shared/pending-actions.ts';
import { GroupParams } from '../../../schemas/address-book/groups.ts';
import {
  DeleteParams,
  DeleteRequest,
  GroupName,
  ListedContactsQuery,
  ListedGroupsQuery,
  MembersRequest,
} from '../../../schemas/address-book/listed-contacts.ts';
import { endpoint } from '../../door/route.ts';

export const list = endpoint({
  query: ListedContactsQuery,
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { data, pageInfo } = await listed.listWithTexting(deps, advisorId, query);
    return { data: data.map(shown), pageInfo };
  },
});

export const counts = endpoint({
  cost: 2,
  handler: (deps, advisorId) => listed.countContacts(deps, advisorId),
});

export const listGroups = endpoint({
  query: ListedGroupsQuery,
  async handler(deps, advisorId, { query }) {
    const { data, pageInfo } = await listed.listGroups(deps, advisorId, query);
    return { data: data.map(({ groupId, name, contactCount }) => ({ groupId, name, contactCount })), pageInfo };
  },
});

export const renameGroup = endpoint({
  params: GroupParams,
  body: GroupName,
  handler: (deps, advisorId, { params, body }) => groups.renameGroup(deps, advisorId, params.groupId, body.name),
});

export const setMembers = endpoint({
  params: GroupParams,
  body: MembersRequest,
  async handler(deps, advisorId, { params, body }) {
    return { changed: await contacts.setMembers(deps, advisorId, params.groupId, body) };
  },
});

export const remove = endpoint({
  body: DeleteRequest,
  async handler(deps, advisorId, { body }) {
    return { actionId: await deleteLater(deps, advisorId, body), undoMs };
  },
});

export const waitingDeletes = endpoint({
  handler: async (deps, advisorId) => ({ data: await listDeletes(deps, advisorId) }),
});

export const undo = endpoint({
  params: DeleteParams,
  handler: (deps, advisorId, { params }) => undoDelete(deps, advisorId, params.actionId),
});

/** A contact in the list, with what its number is good for. */
function shown({
  contactId,
  fullName,
  phone,
  emailAddress,
  groupNames,
  dateTimeModified,
  texting,
}: listed.ListedContact) {
  return {
    contactId,
    fullName,
    phone,
    email: emailAddress,
    groupNames,
    changed: Date.parse(dateTimeModified),
    state: texting?.state ?? 'none',
    isHeld: texting?.isHeld ?? false,
    lastText: texting?.lastText?.getTime() ?? null,
  };
}
