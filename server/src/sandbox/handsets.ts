import { randomUUID } from 'node:crypto';
import type { Deps } from '../deps.ts';
import { receiveReply } from '../domain/consent/replies.ts';
import { invalid } from '../domain/problems.ts';
import { findAdvisorByTextingNumber } from '../store/accounts/advisors.ts';
import { sandboxCarrierId } from '../store/carriers/carriers.ts';
import type { ConsentState } from '../store/consent/consents.ts';
import * as store from '../store/sandbox/handsets.ts';
import { magicContacts } from './sandbox.ts';

/** The sandbox's phones, as their owners see them: with the texts of all advisors. */

export type Sender = { name: string; textingNumber: string; state: ConsentState | null };
/** A text on the phone's screen. `text` is null if it is no longer kept. */
export type ScreenText = {
  id: string;
  from: 'advisor' | 'phone';
  textingNumber: string;
  text: string | null;
  dateTime: Date;
};
/** A magic number's owner, and what the number does. */
export type Owner = { name: string; about: string };
export type Handset = { phone: string; owner: Owner | null; senders: Sender[]; texts: ScreenText[] };
export type HandsetMessage = store.HandsetMessage;
export type HandsetInUse = { phone: string; owner: Owner | null; text: string | null; dateTime: Date };

const messagesMax = 10_000;
const textsMax = 200;
const handsetsMax = 50;
const sendersMax = 100;

const owners = new Map<string, Owner>(
  magicContacts.map(({ phone, firstName, lastName, nickname }) => [
    phone,
    { name: `${firstName} ${lastName}`, about: nickname },
  ]),
);

/** The numbers with special behavior. */
export function listMagicNumbers(): { phone: string; owner: Owner }[] {
  return [...owners].map(([phone, owner]) => ({ phone, owner })).sort((a, b) => (a.phone < b.phone ? -1 : 1));
}

/** The phones that recently received or sent a text. */
export async function listHandsets({ db }: Pick<Deps, 'db'>): Promise<HandsetInUse[]> {
  const rows = await store.listHandsets(db, handsetsMax);
  return rows.map(({ phone, text, dateTimeCreated }) => ({
    phone,
    owner: ownerOf(phone),
    text,
    dateTime: dateTimeCreated,
  }));
}

/** A phone with its latest texts, received and sent, in order. Any number is a phone. */
export async function getHandset({ db }: Pick<Deps, 'db'>, phone: string): Promise<Handset> {
  const [received, sent, senders] = await Promise.all([
    store.listHandsetMessages(db, phone, textsMax),
    store.listHandsetReplies(db, phone, textsMax),
    store.listHandsetSenders(db, phone, sendersMax),
  ]);
  const texts = [
    ...received.map((text) => onScreen('advisor', text)),
    ...sent.map((text) => onScreen('phone', text)),
  ].sort((a, b) => a.dateTime.getTime() - b.dateTime.getTime());
  return { phone, owner: ownerOf(phone), senders, texts: texts.slice(-textsMax) };
}

/** The texts that a phone received last, oldest first. */
export async function listHandsetMessages({ db }: Pick<Deps, 'db'>, phone: string): Promise<HandsetMessage[]> {
  return store.listHandsetMessages(db, phone, messagesMax);
}

/** A reply from the phone's owner. It has taken effect once this returns. */
export async function replyFromHandset(
  deps: Deps,
  phone: string,
  { to, text }: { to: string; text: string },
): Promise<void> {
  if (!(await findAdvisorByTextingNumber(deps.db, to)))
    throw invalid([
      {
        path: '/to',
        rule: 'textingNumber',
        message: 'to must be an advisor’s texting number: sandbox.json lists them.',
      },
    ]);
  const by = { carrierId: sandboxCarrierId, answersKeywords: false };
  await receiveReply(deps, by, { carrierMessageId: randomUUID(), from: phone, to, text, sentAt: deps.clock.now() });
}

function onScreen(from: ScreenText['from'], row: store.HandsetMessage | store.HandsetReply): ScreenText {
  const { carrierMessageId: id, textingNumber, text, dateTimeCreated } = row;
  return { id, from, textingNumber, text, dateTime: dateTimeCreated };
}

function ownerOf(phone: string): Owner | null {
  return owners.get(phone) ?? null;
}
