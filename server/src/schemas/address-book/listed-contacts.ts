import { contactSorts } from '../../domain/address-book/contacts.ts';
import { groupSorts } from '../../domain/address-book/groups.ts';
import { selectedMax } from '../../domain/address-book/pending-deletes.ts';
import { consentStates } from '../../domain/texting/gate.ts';
import { PageQuery } from '../shared/paging.ts';
import { Id, Name, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the advisor's own app sends. It is no contract: the app and the server change together. */

const ContactIds = Type.Array(Id(), { minItems: 1, maxItems: selectedMax });
const listFilters = {
  search: Type.Optional(Type.String({ maxLength: stringLengthMax })),
  groupId: Type.Optional(Id()),
  consent: Type.Optional(Type.Unsafe<(typeof consentStates)[number]>({ type: 'string', enum: consentStates })),
};

export const ListedContactsQuery = PageQuery(contactSorts, listFilters);
export const ListFilterQuery = Type.Object(listFilters);
/** One object and no union: an invalid `contactIds` must not read as a filter that finds everybody. */
export const ChosenContacts = Type.Object({ ...listFilters, contactIds: Type.Optional(ContactIds) });
export const ListedGroupsQuery = PageQuery(groupSorts, {});
export const DeleteRequest = Type.Union([Type.Object({ contactIds: ContactIds }), Type.Object({ groupId: Id() })]);
export const DeleteParams = Type.Object({ actionId: Id() });
export const ImportParams = Type.Object({ importId: Id() });
export const GroupName = Type.Object({ name: Name() });
export const MembersRequest = Type.Object({ contactIds: ContactIds, isMember: Type.Boolean() });
