import { type Deps, inTransaction } from '../../deps.ts';
import type { EntryPlace, FoundEntry, SearchedPart, WordQuery } from '../../store/record-keeping/archive-search.ts';
import * as store from '../../store/record-keeping/archive-search.ts';
import { archive, type By, detailsIn } from '../archive/archive.ts';
import { proveEntry } from '../archive/archive-proofs.ts';
import { problem, requireFound } from '../problems.ts';
import { cursorOf, cutTo, placeIn } from '../shared/paging.ts';
import { listedText } from '../shared/text/text-rules.ts';

/** All of what is given must be true. Times are up to but not including `to`. */
export type ArchiveSearch = {
  words?: string;
  memberId?: number;
  phone?: string;
  advisorId?: number;
  kind?: SearchedKind;
  from?: string;
  to?: string;
};
export const searchedKinds = ['sent', 'received', 'consent', 'review', 'other'] as const;
export type SearchedKind = (typeof searchedKinds)[number];

/** An entry as staff of the firm read it. `text` is null if it has none, or it is no longer kept; `details` are of accounts and settings. */
export type ArchiveEntry = ReturnType<typeof entryOf>;
/** `cursor` is where to go on. If the page isn't full before that, `searchedTo` says how far back this has looked. */
type FoundEntries = { data: ArchiveEntry[]; cursor: string | null; searchedTo: Date | null };

const pageSize = 25;
/** So many of the newest are read first: that finds a page of what is common. Further back, so many at a time. */
const stepMax = 2_000;
/** More than this isn't sorted. Then it is common somewhere, and the archive is read from the newest. */
const sortedMax = 20_000;
/** The index answers within this, or isn't asked any more: words that are common but never meet take it long. */
const indexMsMax = 120;
/** Then the answer is how far back this came, so that nobody waits for more than a third of a second on a busy machine. */
const walkMsMax = 200;
const aroundEach = 20;

const kindsOf: Record<SearchedKind, string[]> = {
  sent: ['text_out'],
  received: ['text_in', 'media_in'],
  consent: ['consent'],
  review: ['review'],
  other: [
    ...['schedule', 'broadcast', 'export', 'merge', 'setting', 'staff', 'sign_in', 'text_read'],
    ...['hold', 'retention', 'disposal'],
  ],
};

/** They have no text. */
const accountKinds = ['setting', 'staff', 'sign_in', 'text_read', 'retention'];

/** A page of a firm's entries, newest first. However many there are, it takes about a quarter of a second at most. */
export async function searchArchive(
  deps: Deps,
  firmId: number,
  search: ArchiveSearch,
  cursor?: string,
): Promise<FoundEntries> {
  const { db } = deps;
  const part = partOf(firmId, search, cursor);
  const words = await wordsOf(deps, firmId, search);
  if (words === null) return { data: [], cursor: null, searchedTo: null };
  const began = performance.now();
  const limit = pageSize + 1;
  const found: EntryPlace[] = [];
  for (let [from, isIndexAsked] = [part, cursor?.endsWith(walking) ?? false]; ; ) {
    const step = await store.walkWords(db, from, words, { limit: limit - found.length, entriesMax: stepMax });
    found.push(...step.found);
    if (step.end === null || found.length === limit) return pageOf(deps, found, null);
    const indexed = isIndexAsked ? null : await searchIndex(deps, part, words, limit);
    if (indexed) return pageOf(deps, indexed, null);
    if (performance.now() - began > walkMsMax) return pageOf(deps, found, step.end);
    [from, isIndexAsked] = [{ ...part, before: step.end }, true];
  }
}

/** Null if that is too many, or takes too long. */
async function searchIndex({ db }: Deps, part: SearchedPart, words: WordQuery, limit: number) {
  return store.searchWords(db, part, words, { limit, foundMax: sortedMax, withinMs: indexMsMax });
}

/** An entry of the firm's, with those of the same person before and after it. */
export async function getEntry(
  { db }: Deps,
  firmId: number,
  { advisorId, number }: { advisorId: number; number: number },
): Promise<{ entries: ArchiveEntry[] }> {
  const rows = await store.listAround(db, advisorId, { firmId, number, each: aroundEach });
  if (rows.length === 0) throw problem('not_found', `There is no entry ${number}.`);
  return { entries: rows.map((row) => (row.number === number ? entryOf(row) : listedEntryOf(row))) };
}

export async function saveSearch(
  { db, clock }: Deps,
  { firmId, staffId }: { firmId: number; staffId: number },
  search: ArchiveSearch,
): Promise<{ searchId: number }> {
  return { searchId: await store.insertSavedSearch(db, firmId, { staffId, search, now: clock.now() }) };
}

export async function getSearch({ db }: Deps, firmId: number, searchId: number): Promise<object> {
  return requireFound(await store.findSavedSearch(db, firmId, searchId), `There is no saved search ${searchId}.`);
}

function partOf(firmId: number, { from, to }: ArchiveSearch, cursor?: string): SearchedPart {
  const end = to === undefined ? null : { dateTime: new Date(to), advisorId: 0, number: 0 };
  const place = cursor ? placeIn('cursor', cursor.replace(/-w$/, ''), ['advisorId', 'number']) : end;
  return { firmId, from: from === undefined ? null : new Date(from), before: place };
}

/** Null if nobody has that number, or there is no word in what is looked for. */
async function wordsOf({ db }: Deps, firmId: number, search: ArchiveSearch): Promise<WordQuery | null> {
  const { words = '', memberId, phone, advisorId, kind } = search;
  const filters: string[][] = [];
  if (words.trim() !== '' && !/[\p{L}\p{N}]/u.test(words)) return null;
  if (memberId !== undefined) filters.push([`=m${memberId}`]);
  if (advisorId !== undefined) filters.push([`=a${advisorId}`]);
  if (kind !== undefined) filters.push(kindsOf[kind].map((each) => `=k${each}`));
  if (phone !== undefined) {
    const members = await store.listMembersWith(db, firmId, phone);
    if (members.length === 0) return null;
    filters.push(members.map((each) => `=m${each}`));
  }
  return { words, filters };
}

async function pageOf({ db }: Deps, found: EntryPlace[], end: EntryPlace | null): Promise<FoundEntries> {
  const { page, last } = cutTo(pageSize, found);
  const rows = page.length > 0 ? await store.listFound(db, page) : [];
  const next = last ?? end;
  return {
    data: rows.map(listedEntryOf),
    cursor: next ? cursorOf(next.dateTime, next.advisorId, next.number) + (last ? '' : walking) : null,
    searchedTo: last ? null : (end?.dateTime ?? null),
  };
}

function listedEntryOf(row: FoundEntry): ArchiveEntry {
  const { text, ...entry } = entryOf(row);
  return { ...entry, text: text && listedText(text) };
}

function entryOf({ meta, body, ...row }: FoundEntry) {
  return {
    ...row,
    text: body === null ? null : textIn(row.kind, body),
    facts: JSON.parse(meta) as object,
    details: accountKinds.includes(row.kind) ? detailsIn(body) : {},
  };
}

/** What people wrote: a text, a note, or the text in what else was archived. */
function textIn(kind: string, body: string): string | null {
  if (['text_out', 'text_in', 'review'].includes(kind)) return body === '' ? null : body;
  try {
    const { text, reason, proof, reply } = JSON.parse(body);
    return [text, reason, proof, reply?.text].find((each) => typeof each === 'string') ?? null;
  } catch {
    return null;
  }
}

/** At the end of a cursor: the index is of no help, as was found out before. */
const walking = '-w';

/** The text of a firm's entry with every number in it. That somebody wanted to see it is an entry, too. */
export async function readEntryText(deps: Deps, firmId: number, place: { advisorId: number; number: number }, by: By) {
  return inTransaction(deps, async (deps) => {
    const { advisorId, number } = place;
    const { entries } = await getEntry(deps, firmId, place);
    const { text = null, memberId = null } = entries.find((each) => each.number === number) ?? {};
    const meta = { what: 'number shown', archiveNumber: number };
    await archive(deps, by, { advisorId, kind: 'text_read', memberId, meta, body: '{}' });
    return { text };
  });
}

/** What proves a firm's entry. */
export async function getEntryProof(deps: Deps, firmId: number, place: { advisorId: number; number: number }) {
  await getEntry(deps, firmId, place);
  return { proof: await proveEntry(deps, place) };
}
