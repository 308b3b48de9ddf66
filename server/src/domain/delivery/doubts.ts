import type { Deps } from '../../deps.ts';
import type { Log } from '../../log.ts';
import { listDoubts } from '../../store/delivery/doubts.ts';
import { type OutcomeRow, settleDoubts } from '../../store/delivery/outcomes.ts';
import { type FittingReceipt, listFittingReceipts } from '../../store/delivery/receipts.ts';
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
    const due = doubts.filter(({ messageId }) => (asked.get(messageId)?.next ?? 0) <= Date.now());
    for (const { advisorId, messageId, attempt, ...text } of due.slice(0, askedAtOnceMax)) {
      const pauseMs = Math.min(pauseMsMax, 2 * (asked.get(messageId)?.pauseMs ?? firstPauseMs / 2));
      if (asked.size >= rememberedMax) asked.clear();
      asked.set(messageId, { next: Date.now() + pauseMs, pauseMs });
      const found = await within(askMs, carrier.find?.({ ...text, reference: messageId }));
      if (!found) continue;
      await settleDoubts(deps.db, [acceptedAs({ advisorId, messageId, attempt, carrierId }, found)], deps.clock.now());
      asked.delete(messageId);
      log.info({ carrier: name, messageId, status: found.status }, 'the carrier settled a text in doubt');
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

/** Null if it takes too long: it is asked again later. */
async function within(
  ms: number,
  response: Promise<SubmissionAtCarrier | null> | undefined,
): Promise<SubmissionAtCarrier | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, ms, null);
  try {
    return (await Promise.race([response, late.promise])) ?? null;
  } finally {
    clearTimeout(timer);
  }
}

function acceptedAs(doubt: Doubt, { carrierMessageId, status, code, reason }: SubmissionAtCarrier): OutcomeRow {
  const receipt = status === 'sent' ? null : { status, ...(code && { code }), ...(reason && { reason }) };
  const none = {
    code: null,
    failureCode: null,
    facts: null,
    retryAt: null,
    openUntil: null,
    expiresAt: null,
    tries: 0,
  };
  // When it began is what the attempt says already.
  return {
    ...doubt,
    ...none,
    outcome: 'accepted',
    status: 'sent',
    carrierMessageId,
    receipt,
    dateTimeStarted: new Date(0),
  };
}
