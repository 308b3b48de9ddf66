import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import * as groups from '../../domain/address-book/groups.ts';
import { numberOf } from '../../domain/shared/enumerations.ts';
import type { GroupInput, GroupParams, GroupQuery, GroupSummary } from '../../schemas/address-book/groups.ts';
import { present } from './present.ts';

export async function create(deps: Deps, advisorId: number, { body }: { body: Static<typeof GroupInput> }) {
  return { id: await groups.createGroup(deps, advisorId, body, numberOf('source', 'API')) };
}

export async function search(deps: Deps, advisorId: number, { query }: { query: Static<typeof GroupQuery> }) {
  const { data, pageInfo } = await groups.searchGroups(deps, advisorId, query);
  return { data: data.map(summary), pageInfo };
}

export async function remove(deps: Deps, advisorId: number, { params }: { params: Static<typeof GroupParams> }) {
  await groups.deleteGroup(deps, advisorId, params.groupId);
}

function summary(group: groups.Group): Static<typeof GroupSummary> {
  return present({ ...group });
}
