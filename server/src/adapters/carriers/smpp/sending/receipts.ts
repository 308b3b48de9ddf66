import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Inbound, Receipt } from '../../../../domain/ports.ts';
import type { Counts } from '../../shared/counts.ts';
import type { SmppSettings } from '../options.ts';
import { receiptIds } from './message-ids.ts';
import { reasonOf } from './receipt-texts.ts';
import {
  domainId,
  type HeardReceipt,
  type TrackedPair,
  type TrackedText,
  type Tracking,
  togetherOf,
} from './tracking.ts';

export type Receipts = ReturnType<typeof makeReceipts>;

const earlyPollMs = 20;
const latePollMs = 100;
/** So many receipts wait for a response that may never come. More are handed on as they are. */
const waitingMax = 1_000;
const tellingsMax = 7;
const firstPauseMs = 50;

export function makeReceipts(
  { settings, tracking, counts }: { settings: SmppSettings; tracking: Tracking; counts: Counts },
  inbound: () => Inbound,
) {
  let waiting = 0;

  /** A receipt may overtake the response that has its id. */
  async function findEarly(receipt: HeardReceipt): Promise<TrackedPair | null> {
    const until = performance.now() + settings.times.earlyMs;
    while (tracking.mayBeEarly(receipt) && performance.now() <= until) {
      await pause(earlyPollMs);
      const found = tracking.find(receipt);
      if (found) return found;
    }
    return tracking.findDoubt(receipt);
  }

  async function handOn(text: TrackedText): Promise<void> {
    const status = togetherOf(text);
    if (!status) return;
    const { from, to, reference } = text.text;
    const why = status === 'undelivered' ? whyOf(text.code, settings) : {};
    const receipt: Receipt = { carrierMessageId: domainId(text), status, ...why, from, to };
    if (reference !== undefined) receipt.reference = reference % 0x10000;
    await inbound().receipt(receipt);
    counts.receipts[status] += 1;
    // An undelivered text may still be delivered.
    if (status === 'delivered') tracking.forget(text);
  }

  /** This node doesn't remember the text, but the domain may know its id, or its numbers. */
  async function handOnUnmatched(receipt: HeardReceipt, status: Receipt['status']): Promise<void> {
    const { messageId, code, reference, from, to } = receipt;
    const [id] = settings.messageIds === 'auto' ? [messageId] : receiptIds(messageId, settings.messageIds);
    const why = status === 'undelivered' ? whyOf(code, settings) : {};
    const about: Receipt = { carrierMessageId: id ?? messageId, status, ...why, from, to };
    if (reference !== null) about.reference = reference;
    await inbound().receipt(about);
    counts.receipts.unmatched += 1;
  }

  async function settle(
    { text, part }: TrackedPair,
    { state, code }: Pick<HeardReceipt, 'state' | 'code'>,
  ): Promise<void> {
    if (!state) return;
    if (text.answeredAt !== null) counts.receipts.lagMs = Math.round(performance.now() - text.answeredAt);
    if (part.state !== 'delivered') part.state = state;
    if (state === 'undelivered') text.code ??= code;
    await handOn(text);
  }

  /**
   * The text's answer is still awaited. Once it has come, or is late or lost, we know which text this is about. The SMSC doesn't wait
   * for that: a STOP may be next.
   */
  async function settleLater(receipt: HeardReceipt, status: Receipt['status']): Promise<void> {
    waiting += 1;
    for (
      const until = performance.now() + settings.times.responseMs;
      tracking.mayTell(receipt) && performance.now() <= until;
    )
      await pause(latePollMs);
    const found = tracking.find(receipt) ?? tracking.findDoubt(receipt);
    await withRetries(() => (found ? settle(found, receipt) : handOnUnmatched(receipt, status)));
    waiting -= 1;
  }

  return {
    /** Resolves once the domain took what there is to say. */
    async receive(receipt: HeardReceipt): Promise<void> {
      if (!receipt.state) return;
      // The response may be right in front of it. The domain writes both at once if it has heard the response first.
      await nextTurn();
      const found = tracking.find(receipt) ?? (await findEarly(receipt));
      if (found) await settle(found, receipt);
      else if (tracking.mayTell(receipt) && waiting < waitingMax) void settleLater(receipt, receipt.state);
      else await handOnUnmatched(receipt, receipt.state);
    },
  };
}

function whyOf(code: string | null, settings: SmppSettings): Pick<Receipt, 'code' | 'reason'> {
  return code === null ? {} : { code, ...reasonOf(code, settings) };
}

/** The SMSC has its response and won't repeat it. */
async function withRetries(tell: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < tellingsMax; attempt++) {
    try {
      return await tell();
    } catch {
      await pause(firstPauseMs * 2 ** attempt);
    }
  }
}
