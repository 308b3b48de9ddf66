import type { Static } from 'typebox';
import * as groups from '../../domain/address-book/groups.ts';
import { numberOf } from '../../domain/shared/enumerations.ts';
import { IdResult } from '../../schemas/address-book/contacts.ts';
import {
  GroupInput,
  GroupPage,
  GroupParams,
  GroupQuery,
  type GroupSummary,
} from '../../schemas/address-book/groups.ts';
import { endpoint } from '../door/route.ts';
import { present } from './present.ts';

export const create = endpoint({
  summary: 'Create group',
  body: GroupInput,
  response: IdResult,
  problems: [],
  async handler(deps, advisorId, { body }) {
    return { id: await groups.createGroup(deps, advisorId, body, numberOf('source', 'API')) };
  },
});

export const search = endpoint({
  summary: 'Search groups',
  query: GroupQuery,
  response: GroupPage,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { data, pageInfo } = await groups.searchGroups(deps, advisorId, query);
    return { data: data.map(summary), pageInfo };
  },
});

export const remove = endpoint({
  summary: 'Delete group',
  description: 'Its members stay.',
  params: GroupParams,
  problems: ['not_found'],
  cost: 2,
  async handler(deps, advisorId, { params }) {
    await groups.deleteGroup(deps, advisorId, params.groupId);
  },
});

function summary(group: groups.Group): Static<typeof GroupSummary> {
  return present({ ...group });
}
