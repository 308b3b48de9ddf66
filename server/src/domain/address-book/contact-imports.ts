import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import * as store from '../../store/address-book/contact-imports.ts';
import { type ContactFields, contactFieldNames, listContactsById } from '../../store/address-book/contacts.ts';
import { listGroupIds } from '../../store/address-book/groups.ts';
import type { Transaction } from '../../store/database/db.ts';
import { knowManyNumbers } from '../members/known-numbers.ts';
import type { ImportRow } from '../ports.ts';
import { numberOf } from '../shared/enumerations.ts';
import { contactSearchText } from './contacts.ts';
import { createGroup } from './groups.ts';

export type { ImportRow } from '../ports.ts';

/** What became of a row, or would become of it. */
export type ImportResult =
  | { result: 'created' }
  /** In the book before. `kept` are fields that are different there, and stayed as they were. */
  | { result: 'updated' | 'unchanged'; contactId: number; kept: string[] }
  /** The same person as on that line. */
  | { result: 'repeated'; line: number };

const importSource = numberOf('source', 'Import');
/** Most rows of a large file share these. */
const created: ImportResult = { result: 'created' };
const none: number[] = [];

/**
 * Imports a file batch by batch, each in one transaction. People who are in the book, or were in the file before, with the same
 * names, email and phone are left as they are but for groups that they join, so an import that was interrupted can simply be run
 * again.
 */
export function startImport(deps: Deps, advisorId: number, { dryRun }: { dryRun: boolean }) {
  /** The line on which each person was first. */
  const seen = new Map<string, number>();
  const groups = findGroups(deps, advisorId, { dryRun });
  const emptySearchList = together(() => store.emptySearchList(deps.db));
  let turn: Promise<unknown> = Promise.resolve();

  /** Ids and groups are taken in the order of the file, though batches overlap. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  async function prepare(rows: ImportRow[]): Promise<{ entries: ImportDecision[]; ids: number[] }> {
    const entries: ImportDecision[] = [];
    for (const row of rows) {
      const groupIds = row.groups.length > 0 ? await groups.find(row.groups) : none;
      entries.push({ row, groupIds, known: null });
    }
    return { entries, ids: dryRun ? [] : await store.takeContactIds(deps.db, rows.length) };
  }

  return {
    groupsCreated: groups.created,
    /** Takes rows in the order of the file. The next rows may come before these are saved. */
    async save(rows: ImportRow[]): Promise<ImportResult[]> {
      const lines = rows.map((row) => firstLineOf(seen, row));
      const { entries, ids } = await inTurn(() => prepare(rows.filter((_, index) => lines[index] === null)));
      const decisions = dryRun
        ? await decide(deps, advisorId, entries)
        : await saveEntries(deps, advisorId, { entries, ids });
      // Nobody waits for the book meanwhile: its lock is free since the commit.
      if (!dryRun && decisions.some(({ known }) => known === null)) await emptySearchList();
      let next = 0;
      return lines.map((line) =>
        line === null ? outcomeOf(decisions[next++] as ImportDecision) : { result: 'repeated', line },
      );
    },
  };
}

/** The line on which the same person was before, or null. */
function firstLineOf(seen: Map<string, number>, row: ImportRow): number | null {
  const key = keyOf(row);
  const line = seen.get(key) ?? null;
  if (line === null) seen.set(key, row.line);
  return line;
}

/** Rows with one key are one person. */
function keyOf({ fields }: ImportRow): string {
  const { firstName, lastName, emailAddress, phone } = fields;
  return `${firstName ?? ''}\0${lastName ?? ''}\0${emailAddress ?? ''}\0${phone ?? ''}`;
}

/** Calls that come while the work runs share the run that follows it: that sees what each of them has done before. */
function together(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let following: Promise<void> | null = null;
  return () => {
    following ??= running.then(() => {
      const run = work();
      following = null;
      running = run.catch(() => {});
      return run;
    });
    return following;
  };
}

function outcomeOf({ known }: ImportDecision): ImportResult {
  if (!known) return created;
  const { contactId, differing, joins } = known;
  return { result: joins.length > 0 ? 'updated' : 'unchanged', contactId, kept: differing };
}

/** Saves rows in one transaction. The ids are for contacts that are created. */
async function saveEntries(
  deps: Deps,
  advisorId: number,
  { entries, ids }: { entries: ImportDecision[]; ids: number[] },
): Promise<ImportDecision[]> {
  return inTransaction(deps, async (deps) => {
    const { db } = deps;
    const phones = entries.flatMap(({ row }) => row.fields.phone ?? []);
    await knowManyNumbers(deps, advisorId, phones);
    let decisions = await decide(deps, advisorId, entries);
    // New contacts without groups need no lock until they are counted, so that batches overlap.
    if (decisions.some(({ known, groupIds }) => known !== null || groupIds.length > 0)) {
      await lockBook(db, advisorId);
      decisions = await decide(deps, advisorId, entries);
    }
    await write(deps, advisorId, decisions, ids);
    return decisions;
  });
}

async function write(
  { db, clock }: Pick<Deps, 'clock'> & { db: Transaction },
  advisorId: number,
  decisions: ImportDecision[],
  ids: number[],
): Promise<void> {
  const now = clock.now();
  const wanted = new Set<number>();
  for (const { groupIds } of decisions) for (const groupId of groupIds) if (groupId !== null) wanted.add(groupId);
  // A group may have been deleted in the meantime.
  const groups = new Set(wanted.size > 0 ? await listGroupIds(db, advisorId, [...wanted]) : []);
  const added = decisions.filter(({ known }) => known === null);
  const addedIds = ids.slice(0, added.length);
  const contactOf = (contactId: number, index: number) => newContact(added[index] as ImportDecision, contactId, groups);
  if (added.length > 0) await store.insertImportedContacts(db, advisorId, addedIds, contactOf, now);
  if (groups.size === 0) return;
  const newIds = new Map(added.map((decision, index) => [decision, ids[index] ?? -1]));
  const memberships = decisions.flatMap((decision) => {
    const contactId = decision.known?.contactId ?? newIds.get(decision) ?? -1;
    return groupsOf(decision, groups).map((groupId) => ({ contactId, groupId }));
  });
  if (memberships.length > 0)
    await store.insertMemberships(db, advisorId, memberships, { counted: [...newIds.values()] }, now);
}

function newContact(entry: Entry, contactId: number, groups: Set<number>): store.ImportedContact {
  const { fields } = entry.row;
  return {
    contactId,
    fields,
    source: importSource,
    groupCount: groupsOf(entry, groups).length,
    searchText: contactSearchText(fields),
  };
}

function groupsOf({ groupIds }: Entry, groups: Set<number>): number[] {
  if (groupIds.length === 0) return none;
  return [...new Set(groupIds)].filter((groupId): groupId is number => groupId !== null && groups.has(groupId));
}

/** Finds the book's groups for those of a file by name, the oldest one of several, and creates those that are missing. */
function findGroups(deps: Deps, advisorId: number, { dryRun }: { dryRun: boolean }) {
  let inBook: Map<string, number | null> | undefined;
  let created = 0;

  async function create(name: string): Promise<number | null> {
    created += 1;
    if (dryRun) return null;
    return createGroup(deps, advisorId, { name, externalGroupId: null }, numberOf('source', 'Import'));
  }

  return {
    created: () => created,
    /** For each group its id; null in a dry run, if it would be created. */
    async find(names: string[]): Promise<(number | null)[]> {
      inBook ??= new Map((await store.listGroupNames(deps.db, advisorId)).map(({ name, groupId }) => [name, groupId]));
      const groupIds: (number | null)[] = [];
      for (const name of names) {
        if (!inBook.has(name)) inBook.set(name, await create(name));
        groupIds.push(inBook.get(name) ?? null);
      }
      return groupIds;
    },
  };
}

/** A row with the ids of its groups, null for those that a dry run would create. */
type Entry = { row: ImportRow; groupIds: (number | null)[] };

/** The contact of the book that a row is about, and what the row has that it hasn't. */
type KnownContact = {
  contactId: number;
  differing: (keyof ContactFields)[];
  joins: (number | null)[];
};
type ImportDecision = Entry & { known: KnownContact | null };

/** Finds the contact of the book for each row that is about one. */
async function decide({ db }: Pick<Deps, 'db'>, advisorId: number, entries: Entry[]): Promise<ImportDecision[]> {
  const people = entries.map(({ row }) => personOf(row.fields));
  const same = await store.listSameContacts(db, advisorId, people);
  const found = new Map(same.map(({ position, contactId }) => [position, contactId]));
  const contactIds = [...new Set(found.values())];
  const contacts = new Map((await listContactsById(db, advisorId, contactIds)).map((each) => [each.contactId, each]));
  const memberships = await store.listMemberships(db, advisorId, contactIds);
  const groupsOf = Map.groupBy(memberships, ({ contactId }) => contactId);
  return entries.map((entry, position) => {
    const contactId = found.get(position) ?? -1;
    const contact = contacts.get(contactId);
    if (!contact) return { ...entry, known: null };
    const groups = new Set(groupsOf.get(contactId)?.map(({ groupId }) => groupId));
    const { fields } = entry.row;
    return {
      ...entry,
      known: {
        contactId,
        differing: contactFieldNames.filter((name) => fields[name] !== undefined && fields[name] !== contact[name]),
        joins: entry.groupIds.filter((groupId) => groupId === null || !groups.has(groupId)),
      },
    };
  });
}

/** Who somebody is. */
function personOf({ firstName, lastName, emailAddress, phone }: Partial<ContactFields>): store.PersonFields {
  return {
    firstName: firstName ?? null,
    lastName: lastName ?? null,
    emailAddress: emailAddress ?? null,
    phone: phone ?? null,
  };
}
