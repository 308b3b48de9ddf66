import { type Deps, inTransaction } from '../../deps.ts';
import { findDoubtForUpdate, findDoubtfulText, listAllDoubts } from '../../store/delivery/doubts.ts';
import { noDetails, settleDoubts } from '../../store/delivery/outcomes.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { archive, type By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { cutTo } from '../shared/paging.ts';

/** What an operator does about a text in doubt, after asking its carrier. */

type SettledAs = 'sent' | 'not_sent';

const pageSize = 50;

/** Without the texts, the newest first. */
export async function listInDoubt({ db }: Pick<Deps, 'db'>, { before = null }: { before?: number | null }) {
  const { page, last } = cutTo(pageSize, await listAllDoubts(db, { before, limit: pageSize + 1 }));
  return { data: page, before: last?.messageId ?? null };
}

/**
 * The operator knows from the carrier what became of it. It is never sent again: if it was not sent, it has failed, and its advisor
 * decides.
 */
export async function settleDoubt(
  deps: Deps,
  { advisorId, messageId }: { advisorId: number; messageId: number },
  as: SettledAs,
  by: By,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const doubt = await findDoubtForUpdate(deps.db, advisorId, messageId);
    if (!doubt || doubt.carrierId === null) throw notInDoubt();
    const wasSent = as === 'sent';
    const { carrierId, attempt, submittedAt: dateTimeStarted } = doubt;
    const about = { ...noDetails, advisorId, messageId, attempt, carrierId, dateTimeStarted };
    const failed = {
      code: 'settled',
      failureCode: 'carrier_unavailable',
      outcome: 'not_taken',
      status: 'failed',
    } as const;
    const settled = wasSent ? ({ outcome: 'accepted', status: 'sent' } as const) : failed;
    await settleDoubts(deps.db, [{ ...about, ...settled, facts: { settledBy: by.actor } }], deps.clock.now());
    await archiveSetting(deps, by, { advisorId, what: 'doubt settled', of: { messageId }, values: { as } });
  });
}

/** Operators see no texts. One who has to, to ask a carrier about it, says why, and the advisor's book has it for good. */
export async function readDoubtfulText(
  deps: Deps,
  { advisorId, messageId }: { advisorId: number; messageId: number },
  reason: string,
  by: By,
) {
  return inTransaction(deps, async (deps) => {
    const found = await findDoubtfulText(deps.db, advisorId, messageId);
    if (!found) throw notInDoubt();
    const { text, phone, memberId } = found;
    const entry = { advisorId, kind: 'text_read', memberId, meta: { what: 'text read', messageId } } as const;
    await archive(deps, by, { ...entry, body: JSON.stringify({ reason }) });
    return { text, phone };
  });
}

function notInDoubt() {
  return problem('conflict', 'This text isn’t in doubt any more.');
}
