import * as contacts from '../../../domain/address-book/contacts.ts';
import * as groups from '../../../domain/address-book/groups.ts';
import * as listed from '../../../domain/address-book/listed-contacts.ts';
import { deleteLater, listDeletes, undoDelete } from '../../../domain/address-book/pending-deletes.ts';
import { undoMs } from '../../../domain/shared/pending-actions.ts';
import { GroupParams } from '../../../schemas/address-book/groups.ts';
import {
  BookGroupQuery,
  BookQuery,
  DeleteParams,
  DeleteRequest,
  GroupName,
  MembersRequest,
} from '../../../schemas/address-book/own-book.ts';
import { endpoint } from '../../door/route.ts';
import { written } from './written.ts';

export const list = endpoint({
  query: BookQuery,
  ...written,
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { data, pageInfo } = await listed.listBook(deps, advisorId, query);
    return { data: data.map(shown), pageInfo };
  },
});

export const counts = endpoint({
  ...written,
  cost: 2,
  handler: (deps, advisorId) => listed.countBook(deps, advisorId),
});

export const listGroups = endpoint({
  query: BookGroupQuery,
  ...written,
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
  ...written,
  async handler(deps, advisorId, { params, body }) {
    return { changed: await contacts.setMembers(deps, advisorId, params.groupId, body) };
  },
});

export const remove = endpoint({
  body: DeleteRequest,
  ...written,
  async handler(deps, advisorId, { body }) {
    return { actionId: await deleteLater(deps, advisorId, body), undoMs };
  },
});

export const waitingDeletes = endpoint({
  ...written,
  handler: async (deps, advisorId) => ({ data: await listDeletes(deps, advisorId) }),
});

export const undo = endpoint({
  params: DeleteParams,
  handler: (deps, advisorId, { params }) => undoDelete(deps, advisorId, params.actionId),
});

/** A contact in the list, with what its number is good for. */
export type BookContact = ReturnType<typeof shown>;

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
