import type { Deps } from '../../deps.ts';
import { listDueForSync } from '../../store/address-book/crm-connections.ts';
import { listKnownVersions, updateMissing, updateReturned } from '../../store/address-book/crm-contacts.ts';
import type { CrmSyncRow, Finding, FindingKind, SyncCounts } from '../../store/address-book/crm-syncs.ts';
import * as store from '../../store/address-book/crm-syncs.ts';
import { type Crm, type CrmBatch, CrmFault, type CrmKind } from '../ports.ts';
import { Problem, problem } from '../problems.ts';
import { dayMs } from '../shared/days.ts';
import { type CrmDeps, openConnection } from './crm-connections.ts';
import { takeContacts } from './crm-contacts.ts';

export type CrmSync = CrmSyncRow;
export type CrmFinding = Finding;
/** Told while it runs: how many of the CRM's contacts are done, and how many there are, where that is known. */
export type Progress = (done: number, total: number | null) => void;

const hourMs = 60 * 60 * 1000;
/** A CRM that failed is tried again before the day is over. */
const afterFailureMs = hourMs;
const leaseMs = 10_000;
const renewMs = 3_000;
/** The longest that a sync may take in all, however slowly the CRM answers. */
const syncTimeoutMs = 60 * 60 * 1000;
const togetherMax = 4;
const findingsOfKindMax = 1_000;
const keptSyncs = 10;
const shownSyncs = 20;

type Running = { advisorId: number; syncId: number; kind: CrmKind };

/** Another node, or a command, took the sync over. */
class Superseded extends Error {}

/** Syncs the CRMs that are due, on whichever node comes first. */
export async function syncDue(deps: CrmDeps, report: (sync: CrmSync, advisorId: number) => void): Promise<void> {
  const due = await listDueForSync(deps.db, { now: deps.clock.now(), realNow: new Date(), limit: togetherMax });
  await Promise.all(
    due.map(async (advisorId) => {
      const sync = await syncCrm(deps, advisorId, 'schedule').catch((error) => {
        // Somebody else was first, or it has just been disconnected.
        if (error instanceof Problem) return null;
        throw error;
      });
      if (sync && sync.status !== 'succeeded') report(sync, advisorId);
    }),
  );
}

/**
 * Brings the advisor's book in step with his CRM: adds, updates, and reports what is for a person to decide. Each batch
 * is one transaction, so that a sync that is cut off has done what it has done, and the next one goes on from there.
 */
export async function syncCrm(
  deps: CrmDeps,
  advisorId: number,
  actor: 'operator' | 'schedule',
  progress: Progress = () => {},
): Promise<CrmSync> {
  const { kind, crm } = await openConnection(deps, advisorId);
  const lease = { realNow: new Date(), until: new Date(Date.now() + leaseMs) };
  const claim = { kind, actor, now: deps.clock.now(), ...lease };
  const syncId = await deps.db.transaction((db) => store.claimSync(db, advisorId, claim));
  if (syncId === null) throw problem('conflict', 'A sync of this advisor’s CRM is running.');
  const running = { advisorId, syncId, kind };
  const ending = await runUnderLease(deps, running, crm, progress);
  await end(deps, running, ending);
  return getSync(deps, advisorId, syncId);
}

export async function listSyncs(deps: Deps, advisorId: number): Promise<CrmSync[]> {
  return store.listSyncs(deps.db, advisorId, shownSyncs);
}

/** What the last sync, or the one that is named, found for a person to look at. */
export async function listFindings(deps: Deps, advisorId: number, syncId?: number): Promise<CrmFinding[]> {
  const [last] = await store.listSyncs(deps.db, advisorId, 1);
  return store.listFindings(deps.db, advisorId, syncId ?? last?.syncId ?? -1);
}

async function getSync(deps: Deps, advisorId: number, syncId: number): Promise<CrmSync> {
  const sync = await store.findSync(deps.db, advisorId, syncId);
  if (!sync) throw problem('not_found', `There is no sync ${syncId}.`);
  return sync;
}

type Ending = Pick<CrmSyncRow, 'status' | 'reason'>;

/** While it runs its lease is renewed, so that nobody takes it for dead while the CRM thinks. */
async function runUnderLease(deps: CrmDeps, running: Running, crm: Crm, progress: Progress): Promise<Ending> {
  const { advisorId, syncId } = running;
  const { signal: stopping } = deps.signals.stopping;
  const until = AbortSignal.any([stopping, AbortSignal.timeout(syncTimeoutMs)]);
  const renew = () => store.renewSync(deps.db, advisorId, syncId, new Date(Date.now() + leaseMs)).catch(() => false);
  const renewing = setInterval(renew, renewMs);
  try {
    await run(deps, running, crm, until, progress);
    return { status: 'succeeded', reason: null };
  } catch (error) {
    if (stopping.aborted) return { status: 'interrupted', reason: 'The node was stopped.' };
    if (error instanceof Superseded) return { status: 'interrupted', reason: error.message };
    if (until.aborted) return { status: 'failed', reason: 'It took more than an hour.' };
    if (error instanceof CrmFault) return { status: 'failed', reason: error.message };
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

async function run(deps: CrmDeps, running: Running, crm: Crm, until: AbortSignal, progress: Progress): Promise<void> {
  const { advisorId, kind } = running;
  const versions = await listKnownVersions(deps.db, advisorId, kind);
  const known = new Map(versions.map(({ locator, version }) => [locator, version]));
  const found = new Map<FindingKind, number>();
  const seen: string[] = [];
  let done = 0;
  for await (const batch of crm.list(known, until)) {
    until.throwIfAborted();
    await take(deps, running, batch, found);
    seen.push(...locatorsOf(batch));
    done += batch.contacts.length + batch.unchanged.length + batch.refused.length;
    progress(done, batch.total);
  }
  await takeLeave(deps, running, seen, found);
}

function locatorsOf({ contacts, unchanged, refused }: CrmBatch): string[] {
  return [...contacts.map(({ locator }) => locator), ...unchanged, ...refused.flatMap(({ locator }) => locator ?? [])];
}

/** One batch, in one transaction. */
async function take(
  deps: CrmDeps,
  running: Running,
  { contacts, unchanged, refused }: CrmBatch,
  found: Map<FindingKind, number>,
): Promise<void> {
  const { advisorId, kind } = running;
  await deps.db.transaction(async (db) => {
    await holdOn(db, running);
    const taken = await takeContacts({ ...deps, db }, advisorId, kind, contacts);
    await updateReturned(db, advisorId, kind, unchanged);
    const findings = [...taken.findings, ...refused.map(refusal)];
    await note(db, running, findings, found, {
      ...noCounts,
      added: taken.added,
      updated: taken.updated,
      unchanged: taken.unchanged + unchanged.length,
      refused: refused.length,
    });
  });
}

/** What the CRM no longer lists stays in the book: whether it should go is for a person to say. */
async function takeLeave(
  deps: CrmDeps,
  running: Running,
  seen: string[],
  found: Map<FindingKind, number>,
): Promise<void> {
  const { advisorId, kind } = running;
  await deps.db.transaction(async (db) => {
    await holdOn(db, running);
    const missing = await updateMissing(db, advisorId, kind, seen, deps.clock.now());
    const inBook = missing.filter(({ contactId }) => contactId !== null);
    const findings = inBook.map((each) => ({
      ...each,
      kind: 'missing' as const,
      detail: 'no longer in the CRM; it stays in the book',
    }));
    await note(db, running, findings, found, { ...noCounts, missing: inBook.length });
  });
}

/** Nobody else syncs until this transaction ends; whoever lost the sync to another stops here. */
async function holdOn(db: Deps['db'], { advisorId, syncId }: Running): Promise<void> {
  const held = await store.renewSync(db, advisorId, syncId, new Date(Date.now() + leaseMs));
  if (!held) throw new Superseded('Another sync took its place, or the CRM was disconnected.');
}

const noCounts: SyncCounts = {
  added: 0,
  updated: 0,
  unchanged: 0,
  conflicts: 0,
  duplicates: 0,
  missing: 0,
  refused: 0,
};

/** All are counted; of each kind no more are written down than a person would read. */
async function note(
  db: Deps['db'],
  { advisorId, syncId }: Running,
  findings: Finding[],
  found: Map<FindingKind, number>,
  counts: SyncCounts,
): Promise<void> {
  const of = (kind: FindingKind) => findings.filter((each) => each.kind === kind).length;
  await store.addToSync(db, advisorId, syncId, { ...counts, conflicts: of('conflict'), duplicates: of('duplicate') });
  const kept = findings.filter(({ kind }) => {
    found.set(kind, (found.get(kind) ?? 0) + 1);
    return (found.get(kind) ?? 0) <= findingsOfKindMax;
  });
  await store.insertFindings(db, advisorId, syncId, kept);
}

function refusal({ what, why }: CrmBatch['refused'][number]): Finding {
  return { kind: 'refused', remoteContactId: null, contactId: null, detail: `${what}: ${why}` };
}

async function end(deps: CrmDeps, { advisorId, syncId }: Running, { status, reason }: Ending): Promise<void> {
  const now = deps.clock.now();
  const waitMs = { succeeded: dayMs, failed: afterFailureMs, interrupted: 0, running: 0 }[status];
  const ending = { status, reason, now, nextSyncAt: new Date(now.getTime() + waitMs) };
  await deps.db.transaction(async (db) => {
    await store.endSync(db, advisorId, syncId, ending);
    await store.deleteOldFindings(db, advisorId, keptSyncs);
  });
}
