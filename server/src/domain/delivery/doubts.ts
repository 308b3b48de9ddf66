import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { listDoubts } from '../../store/delivery/doubts.ts';
import { noDetails, type OutcomeRow, settleDoubts } from '../../store/delivery/outcomes.ts';
import { type FittingReceipt, listFittingReceipts } from '../../store/delivery/receipts.ts';
import { optOutByCarrier } from '../consent/consents.ts';
import type { OpenCarrier, SubmissionAtCarrier } from '../ports.ts';
import { dayMs } from '../shared/time.ts';

/** How texts in doubt are settled later: by a receipt that repeats our reference, or by the carrier's own word. */

/** Carriers don't tell about older texts, and nobody can do anything about those. */
const recentMs = 3 * dayMs;
const askedAtOnceMax = 50;
const rememberedMax = 10_000;
const firstPauseMs = 30_000;
const pauseMsMax = 2 * 60 * 60 * 1_000;
const askMs = 10_000;

type Doubt = Pick<FittingReceipt, 'advisorId' | 'messageId' | 'attempt' | 'carrierId'>;

/** A receipt whose id no text has settles the one doubt that it fits; where more than one fits, nothing. */
export async function settleByReference({ db, clock }: Deps): Promise<void> {
  const now = clock.now();
  const fitting = await listFittingReceipts(db, new Date(now.getTime() - recentMs));
  if (fitting.length === 0) return;
  // What the receipt says is applied with it, because its id is the text's from now on.
  const outcomes = fitting.map((each) => acceptedAs(each, { carrierMessageId: each.carrierMessageId, status: 'sent' }));
  await settleDoubts(db, outcomes, now);
}

/**
 * Asks carriers that can tell about texts in doubt, each with growing pauses. What was asked when is this node's memory: after a
 * restart it asks again, which does no harm.
 */
export function doubtAsker(deps: Deps, log: Log): () => Promise<void> {
  const asked = new Map<number, { next: number; pauseMs: number }>();

  async function ask({ carrierId, name, carrier }: OpenCarrier): Promise<void> {
    const since = new Date(deps.clock.now().getTime() - recentMs);
    const doubts = await listDoubts(deps.db, { carrierId, since, limit: rememberedMax });
    const due = doubts.filter(({ messageId }) => (asked.get(messageId)?.next ?? 0) <= performance.now());
    for (const { advisorId, messageId, memberId, attempt, ...text } of due.slice(0, askedAtOnceMax)) {
      const pauseMs = Math.min(pauseMsMax, 2 * (asked.get(messageId)?.pauseMs ?? firstPauseMs / 2));
      if (asked.size >= rememberedMax) asked.clear();
      asked.set(messageId, { next: performance.now() + pauseMs, pauseMs });
      const found = carrier.find?.({ ...text, reference: messageId });
      // It is asked again later if it takes too long.
      const answer = await Promise.race([found, pause(askMs, null, { ref: false })]);
      if (!answer) continue;
      if (answer.reason === 'opted_out') await optOutByCarrier(deps, advisorId, memberId);
      await settleDoubts(deps.db, [acceptedAs({ advisorId, messageId, attempt, carrierId }, answer)], deps.clock.now());
      asked.delete(messageId);
      log.info({ carrier: name, messageId, status: answer.status }, 'the carrier settled a text in doubt');
    }
  }

  return async () => {
    for (const open of deps.carriers.list())
      if (open.carrier.find)
        await ask(open).catch((err) =>
          log.warn({ err, carrier: open.name }, 'a carrier can’t be asked about texts in doubt'),
        );
  };
}

function acceptedAs(doubt: Doubt, { carrierMessageId, status, code, reason }: SubmissionAtCarrier): OutcomeRow {
  const receipt = status === 'sent' ? null : { status, ...(code && { code }), ...(reason && { reason }) };
  // When it began is what the attempt says already.
  const sent = { outcome: 'accepted', status: 'sent', dateTimeStarted: new Date(0) } as const;
  return { ...noDetails, ...doubt, ...sent, carrierMessageId, receipt };
}
