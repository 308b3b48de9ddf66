import type { Deps } from '../../deps.ts';
import type { KeeperRow, LookedAt } from '../../store/record-keeping/retention.ts';
import * as store from '../../store/record-keeping/retention.ts';
import { getFirm, lockFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { archive, type By, byOperator, byService } from '../archive/archive.ts';
import { rangesOf } from '../archive/disposals.ts';
import { problem } from '../problems.ts';
import { dayOf, oncePerDay } from '../shared/days.ts';

export type Retention = { firmId: number; firm: string; years: number };
/** What became of an advisor's bodies whose retention is over. */
export type Disposal = { advisorId: number; advisor: string; disposed: number; kept: number; held: boolean };

type Disposing = { by: By; dryRun: boolean; told?(disposal: Disposal): void };

const yearsMin = 1;
const yearsMax = 100;
/** Looked at in one transaction. */
const bodiesMax = 2_000;
const keepersMax = 500;

export async function getRetention(deps: Deps, firmId: number): Promise<Retention> {
  const { name: firm } = await getFirm(deps, firmId);
  return { firmId, firm, years: await store.findRetention(deps.db, firmId) };
}

/** From the next disposal on, for what is there already too. */
export async function setRetention(deps: Deps, firmId: number, years: number, by: By = byOperator): Promise<Retention> {
  if (!Number.isInteger(years) || years < yearsMin || years > yearsMax)
    throw problem('invalid_request', `Records are kept for ${yearsMin} to ${yearsMax} years.`);
  return deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    const { name: firm } = await lockFirm(within, firmId);
    const from = await store.findRetention(db, firmId);
    if (from === years) return { firmId, firm, years };
    await store.insertRetention(db, firmId, { years, now: deps.clock.now() });
    const values = { years: { from, to: years } };
    await archiveSetting(within, by, { what: 'retention set', of: { firmId }, values });
    return { firmId, firm, years };
  });
}

/** The day's disposal, by one of the nodes. */
export async function disposeDue(deps: Deps): Promise<void> {
  await oncePerDay(deps, 'disposal', dayOf(deps.clock.now()), async (finish) => {
    await dispose(deps, { by: byService, dryRun: false });
    await finish(deps.db);
  });
}

/**
 * Removes the bodies whose retention is over and that nothing keeps; the entries stay. What goes is decided by the
 * database itself, which lets nobody remove a body in another way. Returns how much there was.
 */
export async function dispose(deps: Deps, disposing: Disposing): Promise<Pick<Disposal, 'disposed' | 'kept'>> {
  const sum = { disposed: 0, kept: 0 };
  for (let after = 0; ; ) {
    const keepers = await store.listKeepers(deps.db, after, keepersMax);
    for (const keeper of keepers) {
      const disposal = await disposeOf(deps, keeper, disposing);
      sum.disposed += disposal.disposed;
      sum.kept += disposal.kept;
      if (disposal.disposed > 0 || disposal.kept > 0 || disposal.held) disposing.told?.(disposal);
    }
    after = keepers.at(-1)?.advisorId ?? after;
    if (keepers.length < keepersMax) return sum;
  }
}

async function disposeOf(deps: Deps, keeper: KeeperRow, disposing: Disposing): Promise<Disposal> {
  const { advisorId, advisor, isHeld } = keeper;
  const disposal = { advisorId, advisor, disposed: 0, kept: 0, held: isHeld };
  if (isHeld) return disposal;
  for (let after = 0; ; ) {
    const looked = await look(deps, keeper, after, disposing);
    const old = looked.filter(({ isOld }) => isOld);
    disposal.disposed += old.filter(({ goes }) => goes).length;
    disposal.kept += old.filter(({ goes }) => !goes).length;
    // Bodies are in the order of time: after so many that are younger there is none to look for.
    if (old.length === 0 || looked.length < bodiesMax) return disposal;
    after = looked.at(-1)?.number ?? after;
  }
}

async function look(
  deps: Deps,
  { advisorId, firmId }: KeeperRow,
  afterNumber: number,
  { by, dryRun }: Disposing,
): Promise<LookedAt[]> {
  const from = { advisorId, afterNumber, bodiesMax };
  if (dryRun) return store.listDisposable(deps.db, from);
  return deps.db.transaction(async (db) => {
    const looked = await store.disposeBodies(db, from);
    const numbers = looked.filter(({ goes }) => goes).map(({ number }) => number);
    if (numbers.length === 0) return looked;
    const retentionYears = await store.findRetention(db, firmId);
    const meta = { from: numbers[0], to: numbers.at(-1), count: numbers.length, retentionYears };
    const body = JSON.stringify(rangesOf(numbers));
    await archive({ ...deps, db }, by, { advisorId, kind: 'disposal', memberId: null, meta, body });
    return looked;
  });
}
