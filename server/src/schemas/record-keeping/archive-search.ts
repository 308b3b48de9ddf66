import { type SearchedKind, searchedKinds } from '../../domain/record-keeping/archive-search.ts';
import { DateTime, Id, Phone } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the console sends. It is no contract: the console and the server change together. */

export const ArchiveSearchRequest = Type.Object({
  words: Type.Optional(Type.String({ maxLength: 200 })),
  memberId: Type.Optional(Id()),
  phone: Type.Optional(Phone()),
  advisorId: Type.Optional(Id()),
  kind: Type.Optional(Type.Unsafe<SearchedKind>({ type: 'string', enum: searchedKinds })),
  from: Type.Optional(DateTime()),
  to: Type.Optional(DateTime()),
});
export const ArchiveSearchQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 60 })) });
export const SavedSearchParams = Type.Object({ searchId: Id() });
export const EntryParams = Type.Object({ advisorId: Id(), number: Id() });
