import type { Deps } from '../../../deps.ts';
import type { Difference, Page, Place } from '../../../store/archive/comparisons.ts';
import * as store from '../../../store/archive/comparisons.ts';
import { listUnmatchedMedia, listUnmatchedMediaEntries } from '../../../store/archive/media-comparisons.ts';
import type { Db } from '../../../store/database/db.ts';
import { altered, type Fault, faultsMax, gone, nameOf } from '../verification/faults.ts';
import { compareAccounts } from './accounts.ts';

/** A comparison of the tables that the product works with and the entries about them, page by page. */
type Comparison = {
  table: Parameters<typeof store.findPageEnd>[1];
  list(db: Db, page: Page, limit: number): Promise<Difference[]>;
  faultOf(difference: Difference): Fault;
};

const pageRows = 10_000;

// This process only waits for them, so two run side by side: about as much work in each.
const lanes: Comparison[][] = [
  [
    { table: 'members', list: store.listUnprovenMembers, faultOf: memberFault },
    { table: 'members', list: store.listBrokenConsents, faultOf: consentFault },
    { table: 'archive_entries', list: store.listUnmatchedTexts, faultOf: textFault },
    { table: 'messages', list: store.listUnmatchedMessages, faultOf: messageFault },
  ],
  [
    { table: 'messages', list: store.listUnmatchedOutcomes, faultOf: outcomeFault },
    { table: 'archive_entries', list: listUnmatchedMediaEntries, faultOf: mediaEntryFault },
    { table: 'reply_media', list: listUnmatchedMedia, faultOf: mediaFault },
  ],
];

/** Compares consent, texts, attempts, media and accounts in the tables with the entries about them. Each page is one statement. */
export async function compareTables(deps: Deps): Promise<Fault[]> {
  const found = await Promise.all(lanes.map((comparisons) => compareAll(deps, comparisons)));
  return [...found.flat(), ...(await compareAccounts(deps))];
}

async function compareAll(deps: Deps, comparisons: Comparison[]): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const comparison of comparisons) faults.push(...(await compare(deps, comparison)));
  return faults;
}

async function compare({ db }: Deps, { table, list, faultOf }: Comparison): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (let after: Place | null = { advisorId: -1, id: 0 }; after && faults.length < faultsMax; ) {
    const upTo: Place | null = await store.findPageEnd(db, table, after, pageRows);
    faults.push(...(await list(db, { after, upTo }, faultsMax)).map(faultOf));
    after = upTo;
  }
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
  return what === 'removed'
    ? gone(name, `member ${id}, whom it is about, was removed`)
    : altered(name, `it doesn’t continue from the consent that member ${id} had before`);
}

function textFault({ advisorId, number, id, what }: Difference): Fault {
  const name = nameOf({ advisorId, number: number ?? 0 });
  return what === 'removed'
    ? gone(name, `message ${id}, which it is about, was removed`)
    : altered(name, `the table has another ${what} for message ${id}`);
}

function messageFault({ advisorId, number, id, what }: Difference): Fault {
  if (what === 'added') return altered(`message ${id} of advisor ${advisorId}`, 'no entry says that it was accepted');
  const said = what === 'attempts' ? 'attempts were removed from or added to' : 'the attempts don’t fit the status of';
  return altered(nameOf({ advisorId, number: number ?? 0 }), `${said} message ${id}`);
}

function outcomeFault({ advisorId, number, id, what }: Difference): Fault {
  const said: Record<string, string> = {
    unsaid: 'no entry says what the table says became of',
    unconsented: 'no entry says that the person gave the consent that was awaited for',
    outcome: 'the table has another outcome for',
    carrier: 'the table has another carrier for',
  };
  return altered(nameOf({ advisorId, number: number ?? 0 }), `${said[what]} message ${id}`);
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
