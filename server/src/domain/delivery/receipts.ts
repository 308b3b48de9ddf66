import { type Deps, inTransaction } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import type { MessageKey } from '../../store/delivery/dispatches.ts';
import {
  deleteEarlyOptOut,
  findRecipientOf,
  type MovedByReceipt,
  type ReceiptRow,
  recordReceipts,
} from '../../store/delivery/receipts.ts';
import { archiveUnreceipted, listUnreceipted } from '../../store/delivery/unreceipted.ts';
import { optOutByCarrier } from '../consent/consents.ts';
import { type Clock, carrierMessageIdMax, type Receipt } from '../ports.ts';
import { storable } from '../shared/text/text-rules.ts';
import { dayMs } from '../shared/time.ts';
import type { TrafficCounts } from '../shared/traffic-counts.ts';

const codeLengthMax = 100;

/**
 * Records whether a text was delivered, and archives it: with the carrier's answer if that isn't written yet, otherwise with
 * other receipts that arrive. A receipt that says nothing new writes nothing. One that says that the person opted out opts them
 * out, as the same response to a text does.
 */
export async function receiveReceipt(deps: Deps, carrierId: number, given: Receipt): Promise<void> {
  const { db, clock, databaseClock, signals } = deps;
  const { carrierMessageId, code } = given;
  const receipt = {
    ...given,
    carrierMessageId: storable(carrierMessageId, carrierMessageIdMax),
    ...(code ? { code: storable(code, codeLengthMax) } : {}),
  };
  if (await signals.receipts.bring(keyOf(carrierId, receipt.carrierMessageId), receipt)) return;
  await db.batch(receiving, { receipt: { ...receipt, carrierId }, clock, databaseClock, traffic: signals.traffic });
  // Once it is written: then either its text is found, or it waits until it is.
  if (receipt.reason === 'opted_out') {
    const recipient = await findRecipientOf(db, carrierId, receipt.carrierMessageId);
    if (recipient) await optOutByCarrier(deps, recipient.advisorId, recipient.memberId);
  }
}

/** Opts out those whose receipts said so before anybody knew whose texts they are about. */
export async function applyEarlyOptOuts(deps: Deps, receipts: ReceiptRow[]): Promise<void> {
  for (const early of receipts.filter(({ reason }) => reason === 'opted_out')) {
    const recipient = await findRecipientOf(deps.db, early.carrierId, early.carrierMessageId);
    if (!recipient) continue;
    await inTransaction(deps, async (deps) => {
      if (await deleteEarlyOptOut(deps.db, early)) await optOutByCarrier(deps, recipient.advisorId, recipient.memberId);
    });
  }
}

/** A carrier's id of a text is unique for that carrier only. */
export function keyOf(carrierId: number, carrierMessageId: string): string {
  return `${carrierId}/${carrierMessageId}`;
}

export function countReceipts(traffic: TrafficCounts, moved: MovedByReceipt[]): void {
  for (const { carrierId, moved: status } of moved) traffic.texts(carrierId, status);
}

const receiving: Batch<{ receipt: ReceiptRow; clock: Clock; databaseClock: Clock; traffic: TrafficCounts }, void> = {
  async run(db, items) {
    const [first] = items;
    if (!first) return [];
    const receipts = items.map(({ receipt }) => receipt);
    const moved = await recordReceipts(db, receipts, { now: first.clock.now(), realNow: first.databaseClock.now() });
    db.afterCommit(() => countReceipts(first.traffic, moved));
    return items.map(() => undefined);
  },
  isRepeatable: true,
  // Nobody waits for a receipt, but sends wait for the advisors' heads that its entry needs.
  pauseMs: 100,
};

/** So long a receipt may take. */
const receiptWithinMs = dayMs;
/** How far back a node looks when it starts. */
const reachMs = 30 * dayMs;
const archivedAtOnceMax = 500;

/**
 * When a text was handed over is in the entry of what became of it, which comes with the receipt. Archives that of texts whose receipt doesn't
 * come within a day. How far it came is this node's memory: after a restart it looks again, and finds nothing that it has archived.
 */
export function unreceiptedArchiver({ db, clock }: Pick<Deps, 'db' | 'clock'>): () => Promise<void> {
  let done: Date | null = null;
  return async () => {
    const now = clock.now();
    const to = new Date(now.getTime() - receiptWithinMs);
    // A sandbox that is reset goes back to the real time.
    const from = done && done <= to ? done : new Date(to.getTime() - reachMs);
    let texts: MessageKey[];
    do {
      texts = await listUnreceipted(db, { from, to, limit: archivedAtOnceMax });
      // Another node has locked all of these: it archives them.
      if (texts.length > 0 && !(await archiveUnreceipted(db, texts, now))) return;
    } while (texts.length > 0);
    done = to;
  };
}
