import { type Deps, inTransaction } from '../../deps.ts';
import type { KeeperRow } from '../../store/record-keeping/retention.ts';
import * as store from '../../store/record-keeping/retention.ts';
import { getFirm, lockFirm } from '../accounts/firms.ts';
import { type By, byOperator, byService } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { oncePerDay } from '../shared/daily-runs.ts';
import { requireRunning } from '../shared/signals.ts';
import { dayOf } from '../shared/time.ts';

export type Retention = store.RetentionRow & { firmId: number; firm: string };
export type Disposal = { advisorId: number; advisor: string; disposed: number; kept: number; held: boolean };

type DisposalOptions = {
  by: By;
  dryRun: boolean;
  report?(disposal: Disposal): void;
  /** How many bodies of the present advisor have been looked at. */
  progress?(done: number): void;
};

const yearsMin = 1;
const yearsMax = 100;
/** Less is for an operator to set: no rule that our users are under asks for so little. */
const staffYearsMin = 3;
/** Per transaction. */
const bodiesMax = 2_000;
const keepersMax = 500;
/** Of one firm. */
const advisorsMax = 100_000;

export async function getRetention(deps: Deps, firmId: number): Promise<Retention> {
  const { name: firm } = await getFirm(deps, firmId);
  return { firmId, firm, ...(await store.findRetention(deps.db, firmId)) };
}

/** Also for existing records: fewer years in a week, so that somebody can object, more at once. */
export async function setRetention(deps: Deps, firmId: number, years: number, by: By = byOperator): Promise<Retention> {
  if (!Number.isInteger(years) || years < yearsMin || years > yearsMax)
    throw problem('invalid_request', `Records are kept for ${yearsMin} to ${yearsMax} years.`);
  if (years < staffYearsMin && by.actor !== byOperator.actor)
    throw problem('forbidden', `Only an operator sets less than ${staffYearsMin} years, with \`retention set\`.`);
  return inTransaction(deps, async (deps) => {
    await lockFirm(deps, firmId);
    const { years: inForce, nextYears } = await store.findRetention(deps.db, firmId);
    if (years !== (nextYears ?? inForce)) await store.insertRetention(deps.db, firmId, { years, ...by });
    return getRetention(deps, firmId);
  });
}

export async function disposeDue(deps: Deps): Promise<void> {
  await oncePerDay(deps, 'disposal', dayOf(deps.clock.now()), async (finish) => {
    await dispose(deps, { by: byService, dryRun: false });
    await finish(deps.db);
  });
}

/**
 * Removes the bodies whose retention is over, unless something keeps them; the entries stay. The database itself decides
 * which bodies go, archives it, and lets nobody remove one in any other way. Returns how many there were.
 */
export async function dispose(deps: Deps, disposing: DisposalOptions): Promise<Pick<Disposal, 'disposed' | 'kept'>> {
  const sum = { disposed: 0, kept: 0 };
  for (let after = 0; ; ) {
    const keepers = await store.listKeepers(deps.db, { firmId: null, after, limit: keepersMax });
    for (const keeper of keepers) {
      const disposal = await disposeOf(deps, keeper, disposing);
      sum.disposed += disposal.disposed;
      sum.kept += disposal.kept;
      if (disposal.disposed > 0 || disposal.kept > 0 || disposal.held) disposing.report?.(disposal);
    }
    after = keepers.at(-1)?.advisorId ?? after;
    if (keepers.length < keepersMax) return sum;
  }
}

/** What the next disposal will find at a firm's advisors; those with nothing old and no hold are left out. */
export async function listDue(deps: Deps, firmId: number): Promise<Disposal[]> {
  const due: Disposal[] = [];
  const keepers = await store.listKeepers(deps.db, { firmId, after: 0, limit: advisorsMax });
  for (const keeper of keepers) {
    const [oldest] = await store.listDisposable(deps.db, { advisorId: keeper.advisorId, afterNumber: 0, bodiesMax: 1 });
    if (keeper.isHeld || oldest?.isOld) due.push(await disposeOf(deps, keeper, { by: byService, dryRun: true }));
  }
  return due;
}

async function disposeOf(deps: Deps, keeper: KeeperRow, { by, dryRun, progress }: DisposalOptions): Promise<Disposal> {
  const { advisorId, advisor, isHeld } = keeper;
  const disposal = { advisorId, advisor, disposed: 0, kept: 0, held: isHeld };
  if (isHeld) return disposal;
  for (let afterNumber = 0; ; ) {
    requireRunning(deps);
    const from = { advisorId, afterNumber, bodiesMax };
    const bodies = await (dryRun ? store.listDisposable(deps.db, from) : store.disposeBodies(deps.db, from, by.actor));
    const old = bodies.filter(({ isOld }) => isOld);
    disposal.disposed += old.filter(({ goes }) => goes).length;
    disposal.kept += old.filter(({ goes }) => !goes).length;
    progress?.(disposal.disposed + disposal.kept);
    // Bodies are in the order of time: after a batch of younger ones there are no more old ones.
    if (old.length === 0 || bodies.length < bodiesMax) return disposal;
    afterNumber = bodies.at(-1)?.number ?? afterNumber;
  }
}
