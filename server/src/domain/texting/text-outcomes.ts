import { insertEntries } from '../../store/archive/archive.ts';
import type { Db } from '../../store/database/db.ts';
import type { TextOutcome } from '../../store/texting/text-outcomes.ts';

/**
 * Archives what became of texts, in the transaction that records it, for any number of texts and advisors at once. It comes
 * last there: the heads that number the entries are locked after messages and everything else. Only facts are kept, so the
 * entries have no bodies.
 */
export async function archiveOutcomes(db: Db, outcomes: TextOutcome[], now: Date): Promise<void> {
  const entries = outcomes.map((text) => {
    const { advisorId, memberId, messageId, archiveNumber, status, reason, attempt, carrierMessageId, actor } = text;
    const meta = { outcome: status, reason, text: archiveNumber, attempt, carrierMessageId };
    return { advisorId, kind: 'outcome' as const, memberId, messageId, actor, traceId: null, meta, body: null };
  });
  await insertEntries(db, entries, now);
}
