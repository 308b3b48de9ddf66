import { findFirstUnindexed } from '../../domain/record-keeping/archive-index.ts';
import {
  type ArchiveSearch,
  getEntry,
  getEntryProof,
  getSearch,
  readEntryText,
  type SearchedKind,
  saveSearch,
  searchArchive,
  searchedKinds,
} from '../../domain/record-keeping/archive-search.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { DateTime, Id, Phone } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { firmEndpoint } from './endpoint.ts';

const ArchiveSearchRequest = Type.Object({
  words: Type.Optional(Type.String({ maxLength: 200 })),
  memberId: Type.Optional(Id()),
  phone: Type.Optional(Phone()),
  advisorId: Type.Optional(Id()),
  kind: Type.Optional(Type.Unsafe<SearchedKind>({ type: 'string', enum: searchedKinds })),
  from: Type.Optional(DateTime()),
  to: Type.Optional(DateTime()),
});
const ArchiveSearchQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 60 })) });
const SavedSearchParams = Type.Object({ searchId: Id() });
const EntryParams = Type.Object({ advisorId: Id(), number: Id() });

/** Names and numbers are in a body, which no log keeps. */
export const search = firmEndpoint({
  query: ArchiveSearchQuery,
  body: ArchiveSearchRequest,
  isLong: true,
  async handler(deps, { firmId }, { query, body }) {
    // Before it looks, so that nothing is missing that this calls indexed.
    const unindexedSince = await findFirstUnindexed(deps, firmId);
    const found = await searchArchive(deps, firmId, withInstants(body), query.cursor);
    return { ...found, data: await hideNumbersIn(deps.turn, found.data), unindexedSince };
  },
});

export const entry = firmEndpoint({
  params: EntryParams,
  isLong: true,
  async handler(deps, { firmId }, { params }) {
    const { entries } = await getEntry(deps, firmId, params);
    const shown = await hideNumbersIn(deps.turn, entries);
    return { entries: shown.map((each, index) => ({ ...each, isHidden: each.text !== entries[index]?.text })) };
  },
});

export const read = firmEndpoint({
  params: EntryParams,
  handler: (deps, { firmId }, { params }, by) => readEntryText(deps, firmId, params, by),
});

export const proof = firmEndpoint({
  params: EntryParams,
  handler: (deps, { firmId }, { params }) => getEntryProof(deps, firmId, params),
});

export const save = firmEndpoint({
  body: ArchiveSearchRequest,
  handler: (deps, { firmId, staffId }, { body }) => saveSearch(deps, { firmId, staffId }, withInstants(body)),
});

export const saved = firmEndpoint({
  params: SavedSearchParams,
  handler: (deps, { firmId }, { params }) => getSearch(deps, firmId, params.searchId),
});

/** RFC 3339 allows times that `Date` doesn't read: leap seconds, and more digits. */
function withInstants({ from, to, ...search }: ArchiveSearch): ArchiveSearch {
  return {
    ...search,
    ...(from !== undefined && { from: instantOf(from).toISOString() }),
    ...(to !== undefined && { to: instantOf(to).toISOString() }),
  };
}
