import { setTimeout as pause } from 'node:timers/promises';
import { type Deps, inTransaction } from '../../deps.ts';
import { listDueForSync } from '../../store/address-book/crm-connections.ts';
import { listKnownVersions, updateMissing, updateReturned } from '../../store/address-book/crm-contacts.ts';
import type { CrmSyncRow, FindingKind, SyncCounts, SyncFinding } from '../../store/address-book/crm-syncs.ts';
import * as store from '../../store/address-book/crm-syncs.ts';
import { type Crm, type CrmBatch, CrmFault, type CrmKind } from '../ports.ts';
import { Problem, problem, requireFound } from '../problems.ts';
import { endOf } from '../shared/signals.ts';
import { dayMs } from '../shared/time.ts';
import { openConnection } from './crm-connections.ts';
import { saveCrmContacts } from './crm-contacts.ts';

export type CrmSync = CrmSyncRow;
type CrmFinding = SyncFinding;
/** Called while a sync runs, with how many contacts are done, and how many there are if that is known. */
export type Progress = (done: number, total: number | null) => void;

const hourMs = 60 * 60 * 1000;
/** A sync that failed is retried the same day. */
const retryMs = hourMs;
const leaseMs = 10_000;
const renewMs = 3_000;
/** For a whole sync, however slowly the CRM answers. */
const syncTimeoutMs = hourMs;
const syncsAtOnceMax = 4;
const lookAgainMs = 1_000;
const findingsPerKindMax = 1_000;
const keptSyncs = 10;
const shownSyncs = 20;

type RunningSync = { advisorId: number; syncId: number; kind: CrmKind };

/** Another node or a command took over the sync. */
class SupersededSync extends Error {}

/**
 * Syncs the CRMs that are due, each on the first node to claim it, and those that become due meanwhile: one that takes an hour
 * holds up nobody else.
 */
export async function syncDue(deps: Deps, report: (sync: CrmSync, advisorId: number) => void): Promise<void> {
  const running = new Map<number, Promise<void>>();
  const errors: unknown[] = [];

  async function start(advisorId: number): Promise<void> {
    try {
      const sync = await syncCrm(deps, advisorId, 'schedule');
      if (sync.status !== 'succeeded') report(sync, advisorId);
    } catch (error) {
      // With a Problem, another node was first, or the CRM was just disconnected.
      if (!(error instanceof Problem)) errors.push(error);
    } finally {
      running.delete(advisorId);
    }
  }

  do {
    const limit = errors.length > 0 || deps.signals.stopping.signal.aborted ? 0 : syncsAtOnceMax - running.size;
    const due = limit > 0 ? await listDueForSync(deps.db, { now: deps.clock.now(), realNow: new Date(), limit }) : [];
    for (const advisorId of due) if (!running.has(advisorId)) running.set(advisorId, start(advisorId));
    await Promise.race([Promise.all(running.values()), pause(lookAgainMs, undefined, { ref: false })]);
  } while (running.size > 0);
  if (errors.length > 0) throw errors[0];
}

/**
 * Syncs the advisor's book with their CRM: adds, updates, and reports what a person has to decide. Each batch is one
 * transaction, so an interrupted sync keeps what it saved, and the next one continues from there.
 */
export async function syncCrm(
  deps: Deps,
  advisorId: number,
  actor: 'operator' | 'schedule',
  progress: Progress = () => {},
): Promise<CrmSync> {
  const { kind, crm } = await openConnection(deps, advisorId);
  const lease = { realNow: new Date(), until: new Date(Date.now() + leaseMs) };
  const claim = { kind, actor, now: deps.clock.now(), ...lease };
  const syncId = await inTransaction(deps, ({ db }) => store.claimSync(db, advisorId, claim));
  if (syncId === null) throw problem('conflict', 'A sync of this advisor’s CRM is already running.');
  const running = { advisorId, syncId, kind };
  const ending = await runUnderLease(deps, running, crm, progress);
  await endSync(deps, running, ending);
  return requireFound(await store.findSync(deps.db, advisorId, syncId), `There is no sync ${syncId}.`);
}

export async function listSyncs(deps: Deps, advisorId: number): Promise<CrmSync[]> {
  return store.listSyncs(deps.db, advisorId, shownSyncs);
}

/** The findings of one sync, by default the last, for a person to look at. */
export async function listFindings(deps: Deps, advisorId: number, syncId?: number): Promise<CrmFinding[]> {
  const [last] = await store.listSyncs(deps.db, advisorId, 1);
  return store.listFindings(deps.db, advisorId, syncId ?? last?.syncId ?? -1);
}

type SyncEnd = Pick<CrmSyncRow, 'status' | 'reason'>;

/** Renews the lease while the sync runs, so other nodes don't take it over while the CRM is slow. */
async function runUnderLease(deps: Deps, running: RunningSync, crm: Crm, progress: Progress): Promise<SyncEnd> {
  const { advisorId, syncId } = running;
  const stopping = endOf(deps.signals);
  const until = AbortSignal.any([stopping, AbortSignal.timeout(syncTimeoutMs)]);
  const renew = () => store.renewSync(deps.db, advisorId, syncId, new Date(Date.now() + leaseMs)).catch(() => false);
  const renewing = setInterval(renew, renewMs);
  try {
    await saveAll(deps, running, crm, until, progress);
    return { status: 'succeeded', reason: null };
  } catch (error) {
    if (stopping.aborted) return { status: 'interrupted', reason: 'The node was stopped.' };
    if (error instanceof SupersededSync) return { status: 'interrupted', reason: error.message };
    if (until.aborted) return { status: 'failed', reason: 'It took more than an hour.' };
    if (error instanceof CrmFault) return { status: 'failed', reason: error.message };
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

async function saveAll(
  deps: Deps,
  running: RunningSync,
  crm: Crm,
  until: AbortSignal,
  progress: Progress,
): Promise<void> {
  const { advisorId, kind } = running;
  const versions = await listKnownVersions(deps.db, advisorId, kind);
  const known = new Map(versions.map(({ locator, version }) => [locator, version]));
  const found = new Map<FindingKind, number>();
  const seen: string[] = [];
  let done = 0;
  for await (const batch of crm.list(known, until)) {
    until.throwIfAborted();
    await saveBatch(deps, running, batch, found);
    seen.push(...locatorsOf(batch));
    done += batch.contacts.length + batch.unchanged.length + batch.refused.length;
    progress(done, batch.total);
  }
  await reportMissing(deps, running, seen, found);
}

function locatorsOf({ contacts, unchanged, refused }: CrmBatch): string[] {
  return [...contacts.map(({ locator }) => locator), ...unchanged, ...refused.flatMap(({ locator }) => locator ?? [])];
}

async function saveBatch(
  deps: Deps,
  running: RunningSync,
  { contacts, unchanged, refused }: CrmBatch,
  found: Map<FindingKind, number>,
): Promise<void> {
  const { advisorId, kind } = running;
  await inTransaction(deps, async (deps) => {
    const { db } = deps;
    await requireLease(db, running);
    const saved = await saveCrmContacts(deps, advisorId, kind, contacts);
    await updateReturned(db, advisorId, kind, unchanged);
    const findings = [...saved.findings, ...refused.map(refusal)];
    await saveFindings(db, running, findings, found, {
      ...noCounts,
      added: saved.added,
      updated: saved.updated,
      unchanged: saved.unchanged + unchanged.length,
      refused: refused.length,
    });
  });
}

/** Contacts that the CRM no longer lists stay in the book: a person decides whether to delete them. */
async function reportMissing(
  deps: Deps,
  running: RunningSync,
  seen: string[],
  found: Map<FindingKind, number>,
): Promise<void> {
  const { advisorId, kind } = running;
  await inTransaction(deps, async ({ db, clock }) => {
    await requireLease(db, running);
    const missing = await updateMissing(db, advisorId, kind, seen, clock.now());
    const inBook = missing.filter(({ contactId }) => contactId !== null);
    const findings = inBook.map((each) => ({
      ...each,
      kind: 'missing' as const,
      detail: 'no longer in the CRM; it stays in the book',
    }));
    await saveFindings(db, running, findings, found, { ...noCounts, missing: inBook.length });
  });
}

/** Keeps other syncs from starting until this transaction ends; a sync that was taken over stops here. */
async function requireLease(db: Deps['db'], { advisorId, syncId }: RunningSync): Promise<void> {
  const held = await store.renewSync(db, advisorId, syncId, new Date(Date.now() + leaseMs));
  if (!held) throw new SupersededSync('Another sync took its place, or the CRM was disconnected.');
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

/** Counts every finding, but saves no more of each kind than a person would read. */
async function saveFindings(
  db: Deps['db'],
  { advisorId, syncId }: RunningSync,
  findings: SyncFinding[],
  found: Map<FindingKind, number>,
  counts: SyncCounts,
): Promise<void> {
  const count = (kind: FindingKind) => findings.filter((each) => each.kind === kind).length;
  await store.addToSync(db, advisorId, syncId, {
    ...counts,
    conflicts: count('conflict'),
    duplicates: count('duplicate'),
  });
  const kept = findings.filter(({ kind }) => {
    found.set(kind, (found.get(kind) ?? 0) + 1);
    return (found.get(kind) ?? 0) <= findingsPerKindMax;
  });
  await store.insertFindings(db, advisorId, syncId, kept);
}

function refusal({ what, why }: CrmBatch['refused'][number]): SyncFinding {
  return { kind: 'refused', remoteContactId: null, contactId: null, detail: `${what}: ${why}` };
}

async function endSync(deps: Deps, { advisorId, syncId }: RunningSync, { status, reason }: SyncEnd): Promise<void> {
  const now = deps.clock.now();
  const waitMs = { succeeded: dayMs, failed: retryMs, interrupted: 0, running: 0 }[status];
  const ending = { status, reason, now, nextSyncAt: new Date(now.getTime() + waitMs) };
  await inTransaction(deps, async ({ db }) => {
    await store.endSync(db, advisorId, syncId, ending);
    await store.deleteOldFindings(db, advisorId, keptSyncs);
  });
}
