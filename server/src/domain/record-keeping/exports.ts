import type { Deps } from '../../deps.ts';
import type { ExportJob, NewExport } from '../../store/record-keeping/exports.ts';
import * as store from '../../store/record-keeping/exports.ts';
import { getAdvisorOf } from '../accounts/advisors.ts';
import { archive, type By, byStaff } from '../archive/archive.ts';
import { Problem, problem, requireFound } from '../problems.ts';
import { isStopping } from '../shared/signals.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { exportArchive } from './archive-export.ts';

export type { ExportJob } from '../../store/record-keeping/exports.ts';

/** A node that hasn't told of progress for so long is taken for dead. */
const leaseMs = 5 * 60_000;
const toldEveryMs = 1_000;
const keptMs = dayMs;
const listedMax = 100;
/** A firm sees all that it waits for. */
const unmadeMax = listedMax;

/** Asks for an export. A node that has the archive's key makes it: the one that answers may have none. */
export async function startExport(deps: Deps, asked: NewExport): Promise<ExportJob> {
  await getAdvisorOf(deps, asked.firmId, asked.advisorId);
  if (asked.from >= asked.to) throw problem('invalid_request', 'The first day must be before the last.');
  if ((await store.countUnmadeExports(deps.db, asked.firmId)) >= unmadeMax)
    throw problem('conflict', `Your firm waits for ${unmadeMax} exports: start this one when some of them are ready.`);
  return store.insertExport(deps.db, asked, deps.databaseClock.now());
}

export async function listExports({ db }: Deps, firmId: number): Promise<store.ListedExport[]> {
  return store.listExports(db, firmId, listedMax);
}

/** The file of one that is ready, in parts, whichever node made it. Who takes it is an entry, before any of it leaves. */
export async function openExport(deps: Deps, firmId: number, exportId: number, by: By): Promise<AsyncIterable<Buffer>> {
  const { db } = deps;
  const found = requireFound(await store.findExport(db, firmId, exportId), `There is no export ${exportId}.`);
  const first = found.status === 'ready' ? await store.findExportPart(db, exportId, 0) : null;
  if (!first) throw problem('conflict', 'There is no file of this export: start it again.');
  const { advisorId, from, to, format } = found;
  const meta = { what: 'archive downloaded', exportId, format, from, to };
  await archive(deps, by, { advisorId, kind: 'export', memberId: null, meta, body: JSON.stringify(meta) });
  return (async function* () {
    let bytes: Buffer | null = first;
    for (let part = 1; bytes; part++) {
      yield bytes;
      bytes = await store.findExportPart(db, exportId, part);
    }
  })();
}

/** Makes what is asked for, one after the other. */
export async function makeExports(deps: Deps): Promise<void> {
  if (!deps.signer) return;
  for (;;) {
    const claimed = await store.claimExport(deps.db, deps.databaseClock.now(), realTimeIn(deps, leaseMs));
    if (!claimed) return;
    await make(deps, claimed);
  }
}

async function make(deps: Deps, { exportId, advisorId, staffId, traceId, from, to, format }: ExportJob): Promise<void> {
  const { db, archivePackages } = deps;
  try {
    const exported = await exportArchive(deps, String(advisorId), { from, to, format }, byStaff(staffId, traceId));
    let told = 0;
    let telling = Promise.resolve();
    const progress = (entriesDone: number, entriesTotal: number) => {
      if (entriesDone < entriesTotal && Date.now() < told + toldEveryMs) return;
      told = Date.now();
      // What is told late is told again: only the last is waited for.
      telling = store
        .updateExport(db, exportId, { entriesDone, entriesTotal, until: realTimeIn(deps, leaseMs) })
        .catch(() => {});
    };
    let part = 0;
    for await (const bytes of archivePackages.zip(exported, { withEmails: format === 'eml', progress }))
      await store.insertExportPart(db, exportId, part++, bytes);
    await telling;
    await store.endExport(db, exportId, { status: 'ready', reason: null });
  } catch (error) {
    // Another node makes it once the lease is over.
    if (isStopping(deps, error)) throw error;
    const reason = error instanceof Problem ? error.message : 'Something went wrong on our side.';
    await store.endExport(db, exportId, { status: 'failed', reason });
    if (!(error instanceof Problem)) throw error;
  }
}

/** Files are kept for a day: whoever needs one later starts the export again. */
export async function forgetOldExports({ db, databaseClock }: Deps): Promise<void> {
  for (const exportId of await store.listReadyBefore(db, realTimeIn({ databaseClock }, -keptMs))) {
    await store.deleteExportParts(db, exportId);
    await store.endExport(db, exportId, { status: 'expired', reason: null });
  }
}
