import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Carrier, CarrierRecord, Clock, Inbound, OutgoingText, Submission } from '../../domain/ports.ts';
import type { Batch } from '../../store/database/coalescer.ts';
import { DatabaseBusy, DatabaseTimeout, DatabaseUnavailable, type Db } from '../../store/database/db.ts';
import {
  findHandsetRecord,
  insertHandsetMessages,
  listHandsetRecords,
  type NewHandsetMessage,
} from '../../store/sandbox/handsets.ts';

/** What a phone of the sandbox does. One that isn't listed receives its texts, and the receipt says so. */
type Phone = {
  /** Known at once, without handing a text over. */
  unfit?: 'unreachable' | 'landline';
  refuses?: 'opted_out';
  /** The first submission of each text is not taken. */
  errsOnce?: true;
  /** It takes the text, and nobody hears so. */
  losesAnswer?: true;
  receipt?: 'undelivered' | 'none';
  replies?: { to: 'text' | 'consent_request'; with: string };
};

const phones: Record<string, Phone> = {
  '+15005550001': { unfit: 'unreachable' },
  '+15005550003': { unfit: 'landline' },
  '+15005550007': { receipt: 'undelivered' },
  '+15005550008': { replies: { to: 'text', with: 'Thanks!' } },
  '+15005550009': { receipt: 'none' },
  '+15005550010': { replies: { to: 'consent_request', with: 'ACCEPT' } },
  '+15005550011': { replies: { to: 'consent_request', with: 'STOP' } },
  '+15005550013': { replies: { to: 'consent_request', with: 'who is this?' } },
  '+15005550014': { refuses: 'opted_out' },
  '+15005550016': { replies: { to: 'consent_request', with: 'please stop texting me' } },
  '+15005550021': { errsOnce: true },
  '+15005550022': { losesAnswer: true, receipt: 'none' },
};

/** A little after the answer, as from a real network, and mostly after the answer has been written down. */
const receiptAfterMs = 10;
const deliveriesMax = 7;
const firstPauseMs = 50;
const errorsRememberedMax = 10_000;
const recordsMax = 1_000;

/** The carrier of the sandbox: its phones are rows of the database. */
export function sandboxCarrier({ db, clock }: { db: Db; clock: Clock }): Carrier {
  const erred = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let inbound: Inbound | null = null;

  async function submit(text: OutgoingText): Promise<Submission> {
    const phone = phones[text.to] ?? {};
    const refused = phone.unfit ?? phone.refuses;
    if (refused) return { refused };
    if (phone.errsOnce && errs(text)) return { notTaken: 'The sandbox errs once for this number.' };
    const carrierMessageId = randomUUID();
    const received = phone.receipt !== 'undelivered';
    if (!(await putOnRecord(text, { carrierMessageId, received }))) return { notTaken: 'The database is away.' };
    if (phone.losesAnswer) throw new Error('The answer was lost.');
    follow(text, phone, carrierMessageId);
    return { accepted: carrierMessageId };
  }

  /** True every other time that the same text comes: the first submission, and not its retry. */
  function errs({ from, to, text }: OutgoingText): boolean {
    const key = JSON.stringify([from, to, text]);
    if (erred.delete(key)) return false;
    if (erred.size >= errorsRememberedMax) erred.clear();
    erred.add(key);
    return true;
  }

  /** False when it surely isn't there; when nobody can say, it throws. */
  async function putOnRecord(
    { from, to, text }: OutgoingText,
    taken: Pick<NewHandsetMessage, 'carrierMessageId' | 'received'>,
  ): Promise<boolean> {
    const message = { phone: to, textingNumber: from, text, ...taken, dateTimeCreated: clock.now() };
    try {
      await db.batch(receiving, message);
      return true;
    } catch (error) {
      const surelyNot = [DatabaseUnavailable, DatabaseTimeout, DatabaseBusy].some((kind) => error instanceof kind);
      if (surelyNot) return false;
      throw error;
    }
  }

  /** The receipt, then the reply, without holding up the answer. */
  function follow({ from, to, kind }: OutgoingText, phone: Phone, carrierMessageId: string): void {
    const listener = inbound;
    if (!listener) return;
    const { receipt = 'delivered', replies } = phone;
    const happen = async () => {
      await pause(receiptAfterMs);
      if (receipt !== 'none') await bring(() => listener.receipt({ carrierMessageId, status: receipt }));
      if (replies?.to !== kind) return;
      const reply = { carrierMessageId: randomUUID(), from: to, to: from, text: replies.with, sentAt: clock.now() };
      await bring(() => listener.reply(reply));
    };
    const happening = happen().finally(() => underWay.delete(happening));
    underWay.add(happening);
  }

  /** Carriers bring a thing again when it wasn't taken, and not for ever. */
  async function bring(what: () => Promise<void>): Promise<void> {
    for (let delivery = 1; delivery <= deliveriesMax; delivery++) {
      try {
        return await what();
      } catch {
        if (!inbound) return;
        await pause(firstPauseMs * 2 ** delivery);
      }
    }
  }

  async function* records(from: Date, to: Date): AsyncGenerator<CarrierRecord> {
    for (let id = await findHandsetRecord(db, from); id !== null; ) {
      const rows = await listHandsetRecords(db, id, recordsMax);
      const taken = rows.filter(({ dateTimeCreated }) => dateTimeCreated >= from && dateTimeCreated < to);
      for (const { carrierMessageId, textingNumber, phone, text, dateTimeCreated } of taken)
        yield { carrierMessageId, from: textingNumber, to: phone, text, dateTime: dateTimeCreated };
      // They are in the order of time, but for a few that were taken at once.
      if (rows.length < recordsMax || taken.length === 0) return;
      id = (rows.at(-1)?.handsetMessageId ?? id) + 1;
    }
  }

  return {
    name: 'sandbox',
    check: (phone) => phones[phone]?.unfit ?? null,
    submit,
    listen(listener) {
      inbound = listener;
      return async () => {
        inbound = null;
        await Promise.all(underWay);
      };
    },
    records,
  };
}

const receiving: Batch<NewHandsetMessage, void> = {
  async run(db, messages) {
    await insertHandsetMessages(db, messages);
    return messages.map(() => undefined);
  },
};
