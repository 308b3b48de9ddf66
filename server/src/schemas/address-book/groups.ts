import { Type } from 'typebox';
import { groupSorts } from '../../domain/address-book/groups.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import { DateTime, Id, nameLengthMax, OptionalText, stringLengthMax } from '../shared/strings.ts';

export const GroupInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: nameLengthMax, examples: ['Retirees'] }),
    externalGroupId: OptionalText(stringLengthMax, {
      description: 'Your id of the group. One that is known returns the id of the group that has it.',
      examples: ['crm-17'],
    }),
  },
  { title: 'Group input' },
);

export const GroupParams = Type.Object({ groupId: Id({ description: 'The group’s id.', examples: [1] }) });

export const GroupSummary = Type.Object(
  {
    groupId: Id(),
    externalId: Type.Optional(Type.String({ minLength: 1 })),
    name: Type.String({ minLength: 1 }),
    dateTimeCreated: DateTime(),
    dateTimeModified: DateTime(),
    contactCount: Type.Integer(),
    source: Type.Integer(),
  },
  { title: 'Group summary' },
);

export const GroupQuery = PageQuery(groupSorts, {
  search: Type.Optional(
    Type.String({
      freeText: true,
      maxLength: stringLengthMax,
      description: 'Each word begins a word of the name. Any case and accent.',
    }),
  ),
});

export const GroupPage = PageOf(GroupSummary, groupSorts, 'Page of groups');
