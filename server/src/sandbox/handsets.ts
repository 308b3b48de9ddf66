import { randomUUID } from 'node:crypto';
import type { Deps } from '../deps.ts';
import { receiveReply } from '../domain/consent/replies.ts';
import { type IncomingMedia, samplePictureUrl } from '../domain/ports.ts';
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
  /** How many pictures and the like came with it. */
  media: number;
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

/** What a phone sends: a text, pictures by their address, or both. */
export type HandsetAnswer = { to: string; text?: string; media?: string[] };

/** A reply from the phone's owner. It has taken effect once this returns; what came with it is fetched in the background. */
export async function replyFromHandset(
  deps: Deps,
  phone: string,
  { to, text = '', media = [] }: HandsetAnswer,
): Promise<void> {
  if (text === '' && media.length === 0)
    throw invalid([{ path: '/text', rule: 'minLength', message: 'text can’t be empty unless there is media.' }]);
  if (!(await findAdvisorByTextingNumber(deps.db, to)))
    throw invalid([
      {
        path: '/to',
        rule: 'textingNumber',
        message: 'to must be an advisor’s texting number: sandbox.json lists them.',
      },
    ]);
  const by = { carrierId: sandboxCarrierId, answersKeywords: false };
  const reply = { carrierMessageId: randomUUID(), from: phone, to, text, sentAt: deps.clock.now() };
  await receiveReply(deps, by, { ...reply, media: media.map(mediaAt) });
}

/** Whoever fetches an address learns the type. */
function mediaAt(address: string): IncomingMedia {
  if (address === 'sample') return { url: samplePictureUrl, contentType: 'image/png' };
  return { url: address, contentType: 'application/octet-stream' };
}

function onScreen(from: ScreenText['from'], row: store.HandsetMessage | store.HandsetReply): ScreenText {
  const { carrierMessageId: id, textingNumber, text, dateTimeCreated } = row;
  return { id, from, textingNumber, text, media: 'media' in row ? row.media : 0, dateTime: dateTimeCreated };
}

function ownerOf(phone: string): Owner | null {
  return owners.get(phone) ?? null;
}
