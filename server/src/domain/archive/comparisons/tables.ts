import type { Deps } from '../../../deps.ts';
import { findTree } from '../../../store/archive/archive-tree.ts';
import type { Difference, Entries, RowKey, RowPage } from '../../../store/archive/comparisons.ts';
import * as store from '../../../store/archive/comparisons.ts';
import { listUnmatchedMedia, listUnmatchedMediaEntries } from '../../../store/archive/media-comparisons.ts';
import * as texts from '../../../store/archive/text-comparisons.ts';
import type { Db } from '../../../store/database/db.ts';
import { tileWidth } from '../merkle.ts';
import { altered, type Fault, faultsMax, gone, nameOf } from '../verification/faults.ts';
import { compareAccounts } from './accounts.ts';

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

export async function compareTables(deps: Deps): Promise<Fault[]> {
  return [
    ...(await comparePages(deps, ofMembers, pagesOf(deps, 'members'))),
    ...(await compareEntries(deps)),
    ...(await compareCounts(deps)),
    ...(await comparePages(deps, ofMedia, pagesOf(deps, 'reply_media'))),
    ...(await compareAccounts(deps)),
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

async function compareEntries(deps: Deps): Promise<Fault[]> {
  const faults: Fault[] = [];
  for await (const entries of entriesOf(deps)) {
    const { differences, hasMedia } = await texts.listUnmatchedTexts(deps.db, entries, faultsMax);
    const media = hasMedia ? await listUnmatchedMediaEntries(deps.db, entries, faultsMax) : [];
    faults.push(...differences.map(textFault), ...media.map(mediaEntryFault));
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

async function compareCounts({ db }: Deps): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const advisorId of (await texts.listMiscounted(db)).slice(0, faultsMax))
    for (const { id } of await texts.listAddedMessages(db, advisorId, faultsMax))
      faults.push(altered(`message ${id} of advisor ${advisorId}`, 'no entry says that it was accepted'));
  return faults;
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

const textDifferences: Record<string, string> = {
  attempts: 'attempts were removed from or added to',
  status: 'the attempts don’t fit the status of',
  unsaid: 'no entry says what the table says became of',
  unconsented: 'no entry says that the person gave the consent that was awaited for',
};

function textFault({ advisorId, number, id, what }: Difference): Fault {
  const name = nameOf({ advisorId, number: number ?? 0 });
  return what === 'removed'
    ? gone(name, `message ${id}, which it is about, was removed`)
    : altered(name, `${textDifferences[what] ?? `the table has another ${what} for`} message ${id}`);
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
