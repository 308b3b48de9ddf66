import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Carrier,
  type CarrierExtra,
  type CarrierRecord,
  type Clock,
  type FetchedMedia,
  type Inbound,
  MediaRefused,
  type OutgoingText,
  type Submission,
  samplePictureUrl,
} from '../../../domain/ports.ts';
import type { Batch, Db } from '../../../store/database/db.ts';
import { isNothingCommitted } from '../../../store/database/errors.ts';
import {
  findHandsetRecord,
  insertHandsetMessages,
  listHandsetRecords,
  type NewHandsetMessage,
} from '../../../store/sandbox/handsets.ts';

/** How a sandbox phone behaves. A phone that isn't listed receives its texts and confirms them with a receipt. */
type Phone = {
  /** Known at once, without submitting a text. */
  unfit?: 'unreachable' | 'landline';
  refuses?: 'opted_out';
  /** How the first submissions of each text end. The next one is taken. */
  first?: FailedSubmission[];
  /** Every text to it waits this long first. */
  nightMs?: number;
  /** It accepts the text, but the answer is lost. */
  losesAnswer?: true;
  receipt?: 'undelivered' | 'none';
  replies?: { to: 'text' | 'consent_request'; with: string };
};

type FailedSubmission = Extract<Submission, { notTaken: string }>;

const errs: FailedSubmission = { notTaken: 'The sandbox fails once for this number.' };
const tooMany: FailedSubmission = { notTaken: 'too_many', unavailable: true };

const phones: Record<string, Phone> = {
  '+15005550001': { unfit: 'unreachable' },
  '+15005550003': { unfit: 'landline' },
  '+15005550031': { unfit: 'unreachable' },
  '+15005550033': { unfit: 'landline' },
  '+15005550007': { receipt: 'undelivered' },
  '+15005550008': { replies: { to: 'text', with: 'Thanks!' } },
  '+15005550009': { receipt: 'none' },
  '+15005550010': { replies: { to: 'consent_request', with: 'ACCEPT' } },
  '+15005550011': { replies: { to: 'consent_request', with: 'STOP' } },
  '+15005550013': { replies: { to: 'consent_request', with: 'who is this?' } },
  '+15005550014': { refuses: 'opted_out' },
  '+15005550016': { replies: { to: 'consent_request', with: 'please stop texting me' } },
  '+15005550021': { first: [errs] },
  '+15005550022': { losesAnswer: true, receipt: 'none' },
  '+15005550042': { nightMs: 8 * 60 * 60 * 1000 },
  '+15005550043': { first: [tooMany, tooMany, tooMany] },
};

/** Shortly after the answer, as on a real network, and usually after the answer has been stored. */
const receiptAfterMs = 10;
const deliveriesMax = 7;
const firstPauseMs = 50;
const failuresRememberedMax = 10_000;
const recordsMax = 1_000;

/**
 * `fetchMedia` gets what a phone sent by its address. Without it, a phone can only send the sample picture. A text from before a reset
 * gets no receipt and no reply after it: `untilReset` tells.
 */
type SandboxOptions = {
  db: Db;
  clock: Clock;
  untilReset?: CarrierExtra['untilReset'];
  fetchMedia?: Carrier['fetchMedia'];
};

/** The sandbox's carrier: its phones are database rows. */
export function sandboxCarrier({ db, clock, untilReset, fetchMedia }: SandboxOptions): Carrier {
  const failed = new Map<string, number>();
  const inProgress = new Set<Promise<void>>();
  let inbound: Inbound | null = null;

  async function submit(text: OutgoingText): Promise<Submission> {
    const phone = phones[text.to] ?? {};
    const refused = phone.unfit ?? phone.refuses;
    if (refused) return { refused };
    const failure = phone.first && failureOf(text, phone.first);
    if (failure) return failure;
    const carrierMessageId = randomUUID();
    const received = phone.receipt !== 'undelivered';
    const stored = await storeText(db, text, { carrierMessageId, received, dateTimeCreated: clock.now() });
    if (stored !== 'stored') return { notTaken: stored, unavailable: true };
    if (phone.losesAnswer) throw new Error('The answer was lost.');
    respond(text, phone, carrierMessageId);
    return { accepted: carrierMessageId };
  }

  /** How this submission of the text fails, if it is one of the first. */
  function failureOf(
    { from, to, text, reference }: OutgoingText,
    first: FailedSubmission[],
  ): FailedSubmission | undefined {
    const key = JSON.stringify([from, to, text, reference]);
    const failures = failed.get(key) ?? 0;
    failed.delete(key);
    if (failures === first.length) return undefined;
    if (failed.size >= failuresRememberedMax) failed.clear();
    failed.set(key, failures + 1);
    return first[failures];
  }

  /** Delivers the receipt, then the reply, without delaying the answer. */
  function respond({ from, to, kind }: OutgoingText, phone: Phone, carrierMessageId: string): void {
    const listener = inbound;
    if (!listener) return;
    const { receipt = 'delivered', replies } = phone;
    const until = untilReset?.();
    const deliver = async () => {
      await pause(receiptAfterMs);
      if (receipt !== 'none') await withRetries(() => listener.receipt({ carrierMessageId, status: receipt }), until);
      if (replies?.to !== kind) return;
      const reply = { carrierMessageId: randomUUID(), from: to, to: from, text: replies.with, sentAt: clock.now() };
      await withRetries(() => listener.reply(reply), until);
    };
    const delivery = deliver().finally(() => inProgress.delete(delivery));
    inProgress.add(delivery);
  }

  /** Carriers retry a delivery that fails, but not forever. */
  async function withRetries(deliver: () => Promise<void>, until?: AbortSignal): Promise<void> {
    for (let attempt = 1; attempt <= deliveriesMax && !until?.aborted; attempt++) {
      try {
        return await deliver();
      } catch {
        if (!inbound) return;
        await pause(firstPauseMs * 2 ** attempt);
      }
    }
  }

  return {
    name: 'sandbox',
    check: (phone) => phones[phone]?.unfit ?? null,
    night(phone) {
      const { nightMs } = phones[phone] ?? {};
      return nightMs ? { lastsMs: nightMs } : null;
    },
    submit,
    listen(listener) {
      inbound = listener;
      return async () => {
        inbound = null;
        await Promise.all(inProgress);
      };
    },
    records: (from, to) => listRecords(db, from, to),
    async fetchMedia(media, until) {
      if (media.url === samplePictureUrl) return samplePicture;
      if (!fetchMedia) throw new MediaRefused('This sandbox fetches nothing by address.');
      return fetchMedia(media, until);
    },
  };
}

/** Why it certainly wasn't stored, if so; throws if that is unknown. */
async function storeText(
  db: Db,
  { from, to, text, reference, beginBy = Number.POSITIVE_INFINITY }: OutgoingText,
  taken: Pick<NewHandsetMessage, 'carrierMessageId' | 'received' | 'dateTimeCreated'>,
): Promise<'stored' | 'not_begun' | 'The database is unavailable.'> {
  try {
    const message = { phone: to, textingNumber: from, text, reference, ...taken };
    return (await db.batch(receiving, { message, beginBy })) ? 'stored' : 'not_begun';
  } catch (error) {
    if (isNothingCommitted(error)) return 'The database is unavailable.';
    throw error;
  }
}

async function* listRecords(db: Db, from: Date, to: Date): AsyncGenerator<CarrierRecord> {
  for (let id = await findHandsetRecord(db, from); id !== null; ) {
    const rows = await listHandsetRecords(db, id, recordsMax);
    const taken = rows.filter(({ dateTimeCreated }) => dateTimeCreated >= from && dateTimeCreated < to);
    for (const { carrierMessageId, textingNumber, phone, text, dateTimeCreated } of taken)
      yield { carrierMessageId, from: textingNumber, to: phone, text, dateTime: dateTimeCreated };
    // They are in time order, except for a few that were accepted simultaneously.
    if (rows.length < recordsMax || taken.length === 0) return;
    id = (rows.at(-1)?.handsetMessageId ?? id) + 1;
  }
}

/** Whether each was stored. A batch may have waited for the database, as others do for a socket. */
const receiving: Batch<{ message: NewHandsetMessage; beginBy: number }, boolean> = {
  async run(db, items) {
    const now = performance.now();
    const inTime = items.filter(({ beginBy }) => now <= beginBy);
    if (inTime.length > 0)
      await insertHandsetMessages(
        db,
        inTime.map(({ message }) => message),
      );
    return items.map((item) => inTime.includes(item));
  },
};

/** A picture that needs no network: 32 by 32 pixels, green and yellow squares. */
export const samplePicture: FetchedMedia = {
  contentType: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAABlBMVEUvb0/0014fg5f4AAAAHklEQVR42mNggAJGKMDFH+4KRrr/0cFoehhND0AAACRcAgFVDy4cAAAAAElFTkSuQmCC',
    'base64',
  ),
};
