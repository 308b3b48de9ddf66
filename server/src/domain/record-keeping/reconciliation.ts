import { createHash } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { Transaction } from '../../store/database/db.ts';
import type { ComparedRecord, Run, StagedRecord } from '../../store/record-keeping/carrier-records.ts';
import * as carrierRecords from '../../store/record-keeping/carrier-records.ts';
import type { AttemptRecord, Period, UnsettledAttempt } from '../../store/record-keeping/reconciliation.ts';
import * as store from '../../store/record-keeping/reconciliation.ts';
import { listFirms } from '../accounts/firms.ts';
import { archive, type By, byService, deployment } from '../archive/archive.ts';
import type { CarrierRecord, OpenCarrier } from '../ports.ts';
import { lastDayDone, oncePerDay } from '../shared/daily-runs.ts';
import { requireRunning, whileRunning } from '../shared/signals.ts';
import { dayMs, dayOf, nextDay, startOf } from '../shared/time.ts';

/**
 * Completeness: the texts that the carrier says it accepted and our attempts for some days, compared both ways. A text still in
 * progress is no discrepancy, nor is one in doubt, whether the carrier has it or not.
 */
type DiscrepancyKind =
  | 'carrier record without an attempt'
  | 'accepted attempt without a carrier record'
  | 'carrier record that differs';
type Discrepancy = { kind: DiscrepancyKind; advisorId: number | null; what: string };

export type Reconciliation = {
  firstDay: string;
  lastDay: string;
  /** The carriers whose records were compared; null if none keeps any. */
  carrier: string | null;
  counts: Counts;
  /** Only the first of many. */
  doubts: Doubt[];
  discrepancies: number;
  kinds: Partial<Record<DiscrepancyKind, number>>;
  first: Discrepancy[];
  advisors: Record<string, { compared: number; discrepancies: number }>;
};
/** A text of these days that is in doubt, and the carrier's record that fits it; null if none does, or no carrier keeps any. */
export type Doubt = { advisorId: number; messageId: number; carrierRecord: string | null };
type Counts = typeof noCounts;
type Days = { firstDay: string; lastDay: string };
/** Told how many records have been compared. */
type Progress = (done: number) => void;

const noCounts = { carrierRecords: 0, attempts: 0, inDoubt: 0 };

/** Anything younger may still be in progress, here or at the carrier. */
const settledMs = 5 * 60 * 1000;
const clockSkewMs = 60 * 60 * 1000;
const daysAtOnce = 31;
const recordsAtOnce = 1_000;
const namedMax = 100;
/** How long the leftovers of an interrupted run are kept. */
const abandonedMs = dayMs;

/** Compares all days that are over and weren't compared yet, on one of the nodes. */
export async function reconcileDue(deps: Deps): Promise<void> {
  const lastDay = dayOf(new Date(deps.clock.now().getTime() - settledMs - dayMs));
  await oncePerDay(deps, 'reconciliation', lastDay, async (finish) => {
    const days = { firstDay: await firstDayDue(deps, lastDay), lastDay };
    const reconciliation = await compareDays(deps, days);
    await inTransaction(deps, async (deps) => {
      await finish(deps.db);
      await archiveReconciliation(deps, byService, reconciliation);
    });
  });
}

/** The day after the last one that was done; the first time, the day when the first firm was added. */
async function firstDayDue(deps: Deps, lastDay: string): Promise<string> {
  const done = await lastDayDone(deps, 'reconciliation');
  const [firm] = await listFirms(deps);
  const first = done ? nextDay(done) : firm && dayOf(firm.dateTimeCreated);
  return first && first < lastDay ? first : lastDay;
}

export async function reconcile(deps: Deps, days: Days, by: By, progress?: Progress): Promise<Reconciliation> {
  const reconciliation = await compareDays(deps, days, progress);
  await archiveReconciliation(deps, by, reconciliation);
  return reconciliation;
}

async function archiveReconciliation(
  deps: Deps,
  by: By,
  { kinds, first, advisors, ...rest }: Reconciliation,
): Promise<void> {
  const { firstDay, lastDay, carrier, counts, discrepancies } = rest;
  const meta = { from: firstDay, to: lastDay, carrier, ...counts, discrepancies };
  const body = JSON.stringify({ kinds, first, advisors });
  await archive(deps, by, { advisorId: deployment, kind: 'reconciliation', memberId: null, meta, body });
}

async function compareDays(deps: Deps, days: Days, progress?: Progress): Promise<Reconciliation> {
  const found = findings(days, keepers(deps), progress);
  const end = Math.min(startOf(nextDay(days.lastDay)).getTime(), deps.clock.now().getTime() - settledMs);
  for (let from = startOf(days.firstDay), to: Date; from.getTime() < end; from = to) {
    to = await endOfStep(deps, from, new Date(end));
    await comparePeriod(deps, { from, to }, found);
  }
  return found.reconciliation;
}

/**
 * A step is so many days, or longer if we have no records for longer. The length is doubled while that is true, so a jump
 * of the sandbox's clock over thousands of years takes a few steps.
 */
async function endOfStep(deps: Deps, from: Date, end: Date): Promise<Date> {
  const after = (ms: number) => new Date(Math.min(end.getTime(), from.getTime() + ms));
  let lengthMs = daysAtOnce * dayMs;
  while (after(lengthMs) < end) {
    requireRunning(deps);
    if (await store.hasRecords(deps.db, { from, to: after(2 * lengthMs) })) break;
    lengthMs *= 2;
  }
  return after(lengthMs);
}

async function comparePeriod(deps: Deps, period: Period, found: Findings): Promise<void> {
  requireRunning(deps);
  await inTransaction(deps, (deps) => listDoubts(deps, period, found));
  for (const keeper of keepers(deps)) await compareRecords(deps, keeper, period, found);
}

function keepers({ carriers }: Deps): OpenCarrier[] {
  return carriers.list().filter(({ carrier }) => carrier.records);
}

async function compareRecords(
  deps: Deps,
  { carrierId, carrier }: OpenCarrier,
  period: Period,
  found: Findings,
): Promise<void> {
  const runId = Date.now() * 1_000 + Math.floor(Math.random() * 1_000);
  await carrierRecords.deleteCarrierRecords(deps.db, { before: runId - abandonedMs * 1_000 });
  try {
    if (carrier.records) await stage(deps, runId, carrier.records(...wider(period)));
    await inTransaction(deps, (deps) => compareCarrier(deps, { runId, carrierId }, period, found));
  } finally {
    // A node that is stopping leaves them to a later run.
    if (!deps.signals.stopping.signal.aborted) await carrierRecords.deleteCarrierRecords(deps.db, { is: runId });
  }
}

function wider({ from, to }: Period): [Date, Date] {
  return [new Date(from.getTime() - clockSkewMs), new Date(to.getTime() + clockSkewMs)];
}

/** Into the database, which can search them however many there are. */
async function stage(deps: Deps, runId: number, records: AsyncIterable<CarrierRecord>): Promise<void> {
  let some: CarrierRecord[] = [];
  const flush = async () => {
    await carrierRecords.insertCarrierRecords(deps.db, runId, some.map(stagedOf));
    some = [];
  };
  for await (const record of whileRunning(deps, records)) {
    some.push(record);
    if (some.length >= recordsAtOnce) await flush();
  }
  await flush();
}

function stagedOf({ carrierMessageId, from, to, text, dateTime }: CarrierRecord): StagedRecord {
  const textHash = text === undefined ? null : createHash('sha256').update(text).digest();
  return { carrierMessageId, fromNumber: from, toNumber: to, textHash, dateTime };
}

type ComparisonDeps = Omit<Deps, 'db'> & { db: Transaction };

async function listDoubts(deps: ComparisonDeps, period: Period, found: Findings): Promise<void> {
  for await (const rows of whileRunning(deps, store.listDoubts(deps.db, period)))
    for (const doubt of rows) if (doubt.isOpen) found.doubt(doubt);
}

async function compareCarrier(deps: ComparisonDeps, run: Run, period: Period, found: Findings): Promise<void> {
  for await (const rows of whileRunning(deps, carrierRecords.compareAttempts(deps.db, run, period)))
    found.attempts(rows);
  const doubts = new Map<string, UnsettledAttempt[]>();
  const [from, to] = wider(period);
  for await (const rows of whileRunning(deps, store.listDoubts(deps.db, { from, to })))
    for (const [number, some] of Map.groupBy(rows, ({ toNumber }) => toNumber))
      doubts.set(number, [...(doubts.get(number) ?? []), ...some]);
  for await (const rows of whileRunning(deps, carrierRecords.compareRecords(deps.db, run, period)))
    for (const record of rows) found.record(record, record.messageId === null ? resolved(doubts, record) : null);
}

/** The text in doubt that the record is for. Each text in doubt explains one record. */
function resolved(
  doubts: Map<string, UnsettledAttempt[]>,
  { fromNumber, toNumber, textHash }: ComparedRecord,
): UnsettledAttempt | null {
  const candidates = doubts.get(toNumber) ?? [];
  const index = candidates.findIndex(
    (doubt) =>
      doubt.fromNumbers.includes(fromNumber) && (!textHash || !doubt.textHash || doubt.textHash.equals(textHash)),
  );
  return index >= 0 ? (candidates.splice(index, 1)[0] ?? null) : null;
}

type Findings = ReturnType<typeof findings>;

/** Counts as it goes, so that any number of records fits in memory. */
function findings({ firstDay, lastDay }: Days, compared: OpenCarrier[], progress?: Progress) {
  let done = 0;
  const reconciliation: Reconciliation = {
    firstDay,
    lastDay,
    carrier: compared.length > 0 ? compared.map(({ name }) => name).join(', ') : null,
    counts: { ...noCounts },
    doubts: [],
    discrepancies: 0,
    kinds: {},
    first: [],
    advisors: {},
  };
  const { counts, doubts, kinds, first, advisors } = reconciliation;

  function note(advisorId: number | null, discrepancy: Omit<Discrepancy, 'advisorId'> | null): void {
    const key = String(advisorId ?? 'nobody');
    advisors[key] ??= { compared: 0, discrepancies: 0 };
    advisors[key].compared += 1;
    done += 1;
    progress?.(done);
    if (!discrepancy) return;
    advisors[key].discrepancies += 1;
    reconciliation.discrepancies += 1;
    kinds[discrepancy.kind] = (kinds[discrepancy.kind] ?? 0) + 1;
    if (first.length < namedMax) first.push({ advisorId, ...discrepancy });
  }

  return {
    reconciliation,
    attempts(rows: AttemptRecord[]): void {
      counts.attempts += rows.length;
      const kind = 'accepted attempt without a carrier record';
      for (const { advisorId, id, isMatched } of rows)
        note(advisorId, isMatched ? null : { kind, what: `message ${id}` });
    },
    doubt({ advisorId, messageId }: UnsettledAttempt): void {
      counts.inDoubt += 1;
      if (doubts.length < namedMax) doubts.push({ advisorId, messageId, carrierRecord: null });
    },
    record(record: ComparedRecord, doubt: UnsettledAttempt | null): void {
      const { advisorId, messageId, carrierMessageId, hasAttempt, isSame } = record;
      const isDoubt = doubt !== null;
      counts.carrierRecords += 1;
      const listed = doubts.find((each) => each.advisorId === doubt?.advisorId && each.messageId === doubt.messageId);
      if (listed) listed.carrierRecord = carrierMessageId;
      const what = `carrier record ${carrierMessageId}${messageId === null ? '' : ` of message ${messageId}`}`;
      if (!hasAttempt && !isDoubt) note(advisorId, { kind: 'carrier record without an attempt', what });
      else note(advisorId, isSame ? null : { kind: 'carrier record that differs', what });
    },
  };
}
