import { findFirstUnindexed } from '../../domain/record-keeping/archive-index.ts';
import { getEntryProof, readEntryText } from '../../domain/record-keeping/archive-reading.ts';
import {
  type ArchiveSearch,
  getEntry,
  getSearch,
  saveSearch,
  searchArchive,
} from '../../domain/record-keeping/archive-search.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import {
  ArchiveSearchQuery,
  ArchiveSearchRequest,
  EntryParams,
  SavedSearchParams,
} from '../../schemas/record-keeping/archive-search.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { firmEndpoint } from './endpoint.ts';

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
