import { type Deps, inTransaction } from '../../deps.ts';
import { findAccount } from '../../store/accounts/advisors.ts';
import type { ClaimedImport, FileImport, ImportCounts, ImportNote } from '../../store/address-book/file-imports.ts';
import * as store from '../../store/address-book/file-imports.ts';
import type { PreparedRow } from '../ports.ts';
import { problem, problemIn } from '../problems.ts';
import { storable } from '../shared/text/text-rules.ts';
import { realTimeIn } from '../shared/time.ts';
import { type ImportResult, startImport } from './contact-imports.ts';
import { tellBook } from './groups.ts';

export type { FileImport } from '../../store/address-book/file-imports.ts';

/** A file of 100,000 people is 15 MB. */
export const fileBytesMax = 25 * 1024 * 1024;
/** What is noted of each row is in memory at once. */
const rowsMax = 250_000;
/** A batch locks the book, and is how far the progress moves at a time. */
const batchSize = 1_000;
const previewRows = 8;
const notesMax = 200;
const valueShownMax = 40;
const leaseMs = 60_000;
const keptMs = 7 * 24 * 60 * 60 * 1000;

export type PreviewRow = { prepared: PreparedRow; result: ImportResult['result'] | null };
export type ImportPreview = Awaited<ReturnType<typeof previewImport>>;

/** Reads the whole file, changes nothing, and keeps the file for `startFileImport`. */
export async function previewImport(
  deps: Deps,
  advisorId: number,
  { fileName, file }: { fileName: string; file: Buffer },
) {
  const phone = await phoneOf(deps, advisorId);
  const first: PreparedRow[] = [];
  let [rowCount, refused] = [0, 0];
  for await (const rows of deps.contactFiles.read(file, phone)) {
    first.push(...rows.slice(0, previewRows - first.length));
    rowCount += rows.length;
    if (rowCount > rowsMax)
      throw problem('payload_too_large', `A file can have ${rowsMax.toLocaleString('en-US')} rows. Split it.`);
    refused += rows.filter((each) => 'refused' in each).length;
  }
  const trial = startImport(deps, advisorId, { dryRun: true });
  const results = (await trial.save(first.flatMap((each) => ('row' in each ? each.row : [])))).values();
  const rows = first.map((prepared) => ({
    prepared,
    result: 'row' in prepared ? (results.next().value?.result ?? null) : null,
  }));
  const columns = await deps.contactFiles.columns(file);
  const importId = await inTransaction(deps, ({ db }) =>
    store.insertImport(db, advisorId, { fileName, file, rowCount }),
  );
  if (importId === null) throw problem('conflict', 'Another file is being imported. Wait until it is done.');
  return { importId, fileName, rowCount, refused, columns, rows };
}

export async function startFileImport(deps: Deps, advisorId: number, importId: number): Promise<void> {
  if (!(await store.startImport(deps.db, advisorId, importId))) throw noImport();
}

/** Who was imported by then stays, and the same file can be imported again. */
export async function stopFileImport(deps: Deps, advisorId: number, importId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    if (!(await store.stopImport(deps.db, advisorId, importId))) throw noImport();
    await tellBook(deps, advisorId);
  });
}

export function findFileImport({ db }: Pick<Deps, 'db'>, advisorId: number): Promise<FileImport | null> {
  return store.findImport(db, advisorId);
}

/** The file is forgotten with it. */
export async function dismissImport({ db }: Pick<Deps, 'db'>, advisorId: number, importId: number): Promise<void> {
  if (!(await store.deleteImport(db, advisorId, importId))) throw noImport();
}

/** As a file to correct and import again. */
export async function refusedRows(deps: Deps, advisorId: number, importId: number): Promise<AsyncIterable<string>> {
  const file = await store.findImportFile(deps.db, advisorId, importId);
  if (!file) throw noImport();
  return deps.contactFiles.writeRefused(file, await phoneOf(deps, advisorId));
}

/**
 * Imports the files that were started, one after the other. A node that stops leaves its file to the next one, which goes through
 * all of it again: those who are in the book are left as they are, and only rows that weren't counted are.
 */
export async function runImports(deps: Deps, report: (fault: unknown) => void): Promise<void> {
  const { signal } = deps.signals.stopping;
  while (!signal.aborted) {
    const lease = { realNow: deps.databaseClock.now(), until: realTimeIn(deps, leaseMs) };
    const claimed = await store.claimImport(deps.db, lease);
    if (!claimed) return;
    const run = runOf(deps, claimed, lease.until);
    try {
      await run.whole(signal);
    } catch (error) {
      report(error);
      // What the database can't do now is tried again once the lease has ended. A fault of ours would fail again.
      if (!problemIn(error)) await run.fail();
    }
  }
}

export async function forgetOldImports({ db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>): Promise<void> {
  await store.deleteOldImports(db, realTimeIn({ databaseClock }, -keptMs));
}

/** One file, from its first row. */
function runOf(deps: Deps, { advisorId, importId, file, rowsDone, notes }: ClaimedImport, leasedUntil: Date) {
  const contacts = startImport(deps, advisorId, { dryRun: false });
  let lease = leasedUntil;
  let seen = 0;

  async function write(status: FileImport['status'], counts: ImportCounts, until: Date): Promise<boolean> {
    const progress = { status, rowsDone: Math.max(seen, rowsDone), counts, notes, lease: { was: lease, until } };
    lease = until;
    return inTransaction(deps, async (deps) => {
      const isOurs = await store.updateImport(deps.db, advisorId, importId, progress);
      if (isOurs) await tellBook(deps, advisorId);
      return isOurs;
    });
  }

  /** False if it was stopped, or the lease ended meanwhile and another node goes on. */
  async function save(batch: PreparedRow[]): Promise<boolean> {
    const results = (await contacts.save(batch.flatMap((each) => ('row' in each ? each.row : [])))).values();
    const counts = nothing();
    for (const each of batch) {
      const result = 'row' in each ? results.next().value : undefined;
      seen += 1;
      if (seen <= rowsDone) continue;
      counts[result?.result ?? 'refused'] += 1;
      const note = noteOf(each);
      if (note && notes.length < notesMax) notes.push(note);
    }
    return write('running', counts, realTimeIn(deps, leaseMs));
  }

  return {
    async whole(stopping: AbortSignal): Promise<void> {
      let batch: PreparedRow[] = [];
      for await (const rows of deps.contactFiles.read(file, await phoneOf(deps, advisorId)))
        for (const row of rows) {
          batch.push(row);
          if (batch.length < batchSize) continue;
          if (!(await save(batch))) return;
          batch = [];
          if (stopping.aborted) return void (await write('running', nothing(), deps.databaseClock.now()));
        }
      if (await save(batch)) await write('done', nothing(), lease);
    },
    fail: () => write('failed', nothing(), lease),
  };
}

function nothing(): ImportCounts {
  return { created: 0, updated: 0, unchanged: 0, repeated: 0, refused: 0 };
}

function noteOf(row: PreparedRow): ImportNote | null {
  const { line, leftOut } = row;
  if ('refused' in row) return { line, isRefused: true, why: storable(row.refused) };
  if (leftOut.length === 0) return null;
  const values = leftOut.map(({ column, value, why }) => `${column} “${storable(value, valueShownMax)}”: ${why}`);
  return { line, isRefused: false, why: storable(values.join('; ')) };
}

/** The number that says in which country the file's numbers are. */
async function phoneOf({ db }: Pick<Deps, 'db'>, advisorId: number): Promise<string | null> {
  return (await findAccount(db, advisorId))?.textingNumber ?? null;
}

function noImport() {
  return problem('not_found', 'There is no such import on the advisor’s account.');
}
