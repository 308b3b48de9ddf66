import { groupSorts } from '../../domain/address-book/groups.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import { Id, Instant, Name, OptionalText, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

export const GroupInput = Type.Object(
  {
    name: Name({ description: 'Trimmed.', examples: ['Retirees'] }),
    externalGroupId: OptionalText(stringLengthMax, {
      description: 'Your id for the group. If a group already has it, its id is returned.',
      examples: ['crm-17'],
    }),
  },
  { title: 'Group input', examples: [{ name: 'Retirees', externalGroupId: 'crm-17' }] },
);

export const GroupParams = Type.Object({ groupId: Id({ description: 'The group’s id.', examples: [1] }) });

export const GroupSummary = Type.Object(
  {
    groupId: Id(),
    externalId: Type.Optional(Type.String({ minLength: 1 })),
    name: Type.String({ minLength: 1 }),
    dateTimeCreated: Instant(),
    dateTimeModified: Instant(),
    contactCount: Type.Integer(),
    source: Type.Integer(),
  },
  {
    title: 'Group summary',
    examples: [
      {
        groupId: 1,
        externalId: 'crm-17',
        name: 'Retirees',
        dateTimeCreated: '2026-03-01T17:05:00.000Z',
        dateTimeModified: '2026-03-01T17:05:00.000Z',
        contactCount: 12,
        source: 2,
      },
    ],
  },
);

export const GroupQuery = PageQuery(groupSorts, {
  search: Type.Optional(
    Type.String({
      'x-free-text': true,
      maxLength: stringLengthMax,
      description: 'Each word matches the beginning of a word in the name. Any case and accents.',
      examples: ['retir'],
    }),
  ),
});

export const GroupPage = PageOf(GroupSummary, groupSorts, 'Page of groups');
