import { findFirstUnindexed } from '../../domain/record-keeping/archive-index.ts';
import { getEntry, getSearch, saveSearch, searchArchive } from '../../domain/record-keeping/archive-search.ts';
import {
  ArchiveSearchQuery,
  ArchiveSearchRequest,
  EntryParams,
  SavedSearchParams,
} from '../../schemas/record-keeping/archive-search.ts';
import { firmEndpoint } from './endpoint.ts';

/** Names and numbers are in a body, which no log keeps. */
export const search = firmEndpoint({
  query: ArchiveSearchQuery,
  body: ArchiveSearchRequest,
  async handler(deps, { firmId }, { query, body }) {
    // Before it looks, so that nothing is missing that this calls indexed.
    const unindexedSince = await findFirstUnindexed(deps, firmId);
    return { ...(await searchArchive(deps, firmId, body, query.cursor)), unindexedSince };
  },
});

export const entry = firmEndpoint({
  params: EntryParams,
  handler: (deps, { firmId }, { params }) => getEntry(deps, firmId, params),
});

export const save = firmEndpoint({
  body: ArchiveSearchRequest,
  handler: (deps, { firmId, staffId }, { body }) => saveSearch(deps, { firmId, staffId }, body),
});

export const saved = firmEndpoint({
  params: SavedSearchParams,
  handler: (deps, { firmId }, { params }) => getSearch(deps, firmId, params.searchId),
});
