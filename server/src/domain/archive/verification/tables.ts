import type { Deps } from '../../../deps.ts';
import { findTree } from '../../../store/archive/archive-tree.ts';
import type { Difference, RowKey, RowPage } from '../../../store/archive/comparisons.ts';
import * as store from '../../../store/archive/comparisons.ts';
import {
  type Entries,
  listUnmatchedMedia,
  listUnmatchedMediaEntries,
} from '../../../store/archive/media-comparisons.ts';
import type { Db } from '../../../store/database/db.ts';
import { tileWidth } from '../merkle.ts';
import { altered, type Fault, faultsMax, gone, nameOf } from './faults.ts';

type Comparison = {
  list(db: Db, page: RowPage, limit: number): Promise<Difference[]>;
  faultOf(difference: Difference): Fault;
};

const pageRows = 10_000;
const pageLeaves = 160 * tileWidth;

const ofMembers: Comparison[] = [
  { list: store.listUnprovenMembers, faultOf: memberFault },
  { list: store.listBrokenConsents, faultOf: consentFault },
];
const ofMedia: Comparison[] = [{ list: listUnmatchedMedia, faultOf: mediaFault }];

/**
 * Compares consent and the media of replies with their entries. The other tables are working copies: what counts of them is checked where it
 * counts, as in a claim, or read from the entries.
 */
export async function compareTables(deps: Deps): Promise<Fault[]> {
  return [
    ...(await comparePages(deps, ofMembers, pagesOf(deps, 'members'))),
    ...(await compareMediaEntries(deps)),
    ...(await comparePages(deps, ofMedia, pagesOf(deps, 'reply_media'))),
  ];
}

async function comparePages({ db }: Deps, comparisons: Comparison[], pages: AsyncGenerator<RowPage>): Promise<Fault[]> {
  const faults: Fault[] = [];
  for await (const page of pages) {
    for (const { list, faultOf } of comparisons) faults.push(...(await list(db, page, faultsMax)).map(faultOf));
    if (faults.length >= faultsMax) break;
  }
  return faults;
}

async function compareMediaEntries(deps: Deps): Promise<Fault[]> {
  const faults: Fault[] = [];
  for await (const entries of entriesOf(deps)) {
    faults.push(...(await listUnmatchedMediaEntries(deps.db, entries, faultsMax)).map(mediaEntryFault));
    if (faults.length >= faultsMax) break;
  }
  return faults;
}

async function* pagesOf({ db }: Deps, table: Parameters<typeof store.findPageEnd>[1]): AsyncGenerator<RowPage> {
  for (let after: RowKey | null = { advisorId: -1, id: 0 }; after; ) {
    const upTo: RowKey | null = await store.findPageEnd(db, table, after, pageRows);
    yield { after, upTo };
    after = upTo;
  }
}

/** Those that are not in the tree yet come first: by the time of the others, they may be. */
async function* entriesOf({ db }: Deps): AsyncGenerator<Entries> {
  yield 'pending';
  const { size } = await findTree(db);
  for (let from = 0; from < size; from += pageLeaves) yield { from, to: Math.min(size, from + pageLeaves) };
}

function memberFault({ advisorId, number, id, what }: Difference): Fault {
  if (number === null) return altered(`member ${id} of advisor ${advisorId}`, 'no entry says that its consent is that');
  const said =
    what === 'phone' ? 'it is about another number than the table has for' : 'the table has another consent for';
  return altered(nameOf({ advisorId, number }), `${said} member ${id}`);
}

function consentFault({ advisorId, number, id, what }: Difference): Fault {
  const name = nameOf({ advisorId, number: number ?? 0 });
  if (what === 'removed') return gone(name, `member ${id}, whom it is about, was removed`);
  return altered(
    name,
    what === 'columns'
      ? `its columns have another consent for member ${id}`
      : `it doesn’t continue from the consent that member ${id} had before`,
  );
}

function mediaEntryFault({ advisorId, number, id, what }: Difference): Fault {
  const name = nameOf({ advisorId, number: number ?? 0 });
  return what === 'removed'
    ? gone(name, `media that came with entry ${id} were removed from the table`)
    : altered(name, `the table has another ${what} for media that came with entry ${id}`);
}

function mediaFault({ advisorId, number, id, what }: Difference): Fault {
  const reply = nameOf({ advisorId, number: id });
  if (what === 'added') return altered(reply, 'the table has media that it doesn’t tell of');
  return altered(number === null ? reply : nameOf({ advisorId, number }), `the table has another ${what} for it`);
}
