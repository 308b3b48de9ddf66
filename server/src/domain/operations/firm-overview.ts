import type { Deps } from '../../deps.ts';
import { listAdvisors } from '../../store/accounts/advisors.ts';
import { listReinvited } from '../../store/accounts/staff.ts';
import { findCheckpoint, findTree } from '../../store/archive/archive-tree.ts';
import { findLastDelivery } from '../../store/archive/checkpoint-deliveries.ts';
import { findLastVerification } from '../../store/archive/verifications.ts';
import * as store from '../../store/operations/firm-overview.ts';
import { findRetention } from '../../store/record-keeping/retention.ts';
import { archiveHealth } from '../archive/archive-status.ts';
import { dayMs } from '../shared/time.ts';

/** How long the firm is told that an operator made a link to replace somebody's passkeys. */
const reinvitedShownMs = 7 * dayMs;

/** What a firm's staff see first: the state of the archive, and what needs a person. */
export async function readFirmOverview(deps: Deps, firmId: number) {
  const { db } = deps;
  const since = new Date(deps.clock.now().getTime() - reinvitedShownMs);
  const [archive, reviews, { holds, advisors }, { years: retentionYears }, reinvited] = await Promise.all([
    archiveOf(deps, firmId),
    store.listOpenReviewCounts(db, firmId),
    store.countHoldsAndAdvisors(db, firmId),
    findRetention(db, firmId),
    listReinvited(db, firmId, since),
  ]);
  const oldest = reviews.map((each) => each.oldest).sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
  const open = reviews.reduce((sum, { count }) => sum + count, 0);
  const kinds = Object.fromEntries(reviews.map(({ kind, count }) => [kind, count]));
  return { archive, reviews: { open, oldest, kinds }, holds, advisors, retentionYears, reinvited };
}

async function archiveOf(deps: Deps, firmId: number) {
  const { db, checkpointFolder } = deps;
  const [own, tree, last, health] = await Promise.all([
    store.findFirmArchive(db, firmId),
    findTree(db),
    findCheckpoint(db),
    archiveHealth(deps),
  ]);
  const folder = (await checkpointFolder?.last().catch(() => null))?.size ?? null;
  const delivered = (await findLastDelivery(db))?.dateTimeCreated ?? null;
  return {
    /** The firm's own. */
    entries: own.entries,
    unsigned: own.entries - own.signed,
    lastSigned: last?.dateTimeCreated ?? null,
    /** Somebody has to look before anything more is signed or copied. */
    isFaulty: Object.values(health.faults).some((fault) => fault !== null),
    /** Of the whole tree: how many entries it has, and how many the copies cover. A process without the folder can't tell. */
    copies: { size: tree.size, folder, delivered },
    verification: await findLastVerification(db),
    reconciliation: await reconciliationOf(deps, firmId),
  };
}

/** What the last one found about this firm's advisors; of others it says nothing. */
async function reconciliationOf({ db }: Deps, firmId: number) {
  const row = await store.findLastReconciliation(db);
  if (!row) return null;
  const { from, to, carrier }: { from: string; to: string; carrier: string | null } = JSON.parse(row.meta);
  const found: Record<string, { compared: number; discrepancies: number }> = JSON.parse(row.body).advisors;
  const advisors = await listAdvisors(db, firmId);
  const own = advisors.flatMap(({ advisorId }) => found[advisorId] ?? []);
  const sum = (of: 'compared' | 'discrepancies') => own.reduce((total, each) => total + each[of], 0);
  return {
    firstDay: from,
    lastDay: to,
    carriers: carrier,
    compared: sum('compared'),
    discrepancies: sum('discrepancies'),
    dateTime: row.dateTimeCreated,
  };
}
