import { randomUUID } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { findAdvisorByTextingNumber } from '../../store/accounts/advisors.ts';
import * as store from '../../store/sandbox/handsets.ts';
import type { HeldReason } from '../../store/texting/texts.ts';
import { receiveReply } from '../consent/replies.ts';
import { type IncomingMedia, samplePictureUrl } from '../ports.ts';
import { invalid } from '../problems.ts';
import { sandboxSource } from './initial-consent.ts';
import { magicNumbers } from './magic-numbers.ts';

/** `isHeld`: a reply of the person may mean stop, so that their texts are held. */
export type Sender = store.HandsetSender & { held: Record<HeldReason, number> };
/** A text on the phone's screen. `text` is null if it is no longer kept. */
export type ScreenText = {
  id: string;
  from: 'advisor' | 'phone';
  textingNumber: string;
  text: string | null;
  /** How many pictures and the like came with it. */
  media: number;
  /** What became of a text from an advisor; null before that is known. */
  status: string | null;
  dateTime: Date;
};
export type PhoneOwner = { name: string; about: string };
export type Handset = { phone: string; owner: PhoneOwner | null; senders: Sender[]; texts: ScreenText[] };
export type { HandsetMessage } from '../../store/sandbox/handsets.ts';
export type HandsetInUse = { phone: string; owner: PhoneOwner | null; text: string | null; dateTime: Date };

const messagesMax = 10_000;
const textsMax = 200;
const handsetsMax = 50;
const sendersMax = 100;

const owners = new Map<string, PhoneOwner>(
  magicNumbers.map(({ phone, firstName, lastName, about }) => [phone, { name: `${firstName} ${lastName}`, about }]),
);

export function listMagicNumbers(): { phone: string; owner: PhoneOwner }[] {
  return [...owners].map(([phone, owner]) => ({ phone, owner })).sort((a, b) => (a.phone < b.phone ? -1 : 1));
}

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
  const [received, sent, senders, backlog] = await Promise.all([
    store.listHandsetMessages(db, phone, textsMax),
    store.listHandsetReplies(db, phone, textsMax),
    store.listHandsetSenders(db, phone, sendersMax),
    store.listHandsetBacklog(db, phone),
  ]);
  const known = await store.listHandsetStatuses(db, received);
  const statuses = new Map<number | null | undefined, string>(
    known.map(({ reference, status }) => [reference, status]),
  );
  const texts = [
    ...received.map((text) => ({ ...onScreen('advisor', text), status: statuses.get(text.reference) ?? null })),
    ...sent.map((text) => onScreen('phone', text)),
  ].sort((a, b) => a.dateTime.getTime() - b.dateTime.getTime());
  const withHeld = senders.map((sender) => ({ ...sender, held: heldOf(sender, backlog) }));
  return { phone, owner: ownerOf(phone), senders: withHeld, texts: texts.slice(-textsMax) };
}

function heldOf({ textingNumber }: store.HandsetSender, backlog: store.HandsetBacklog[]): Sender['held'] {
  const held = { possible_opt_out: 0, supervision: 0 };
  for (const each of backlog) if (each.textingNumber === textingNumber) held[each.heldReason] += each.count;
  return held;
}

export async function listHandsetMessages({ db }: Pick<Deps, 'db'>, phone: string): Promise<store.HandsetMessage[]> {
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
  const reply = { carrierMessageId: randomUUID(), from: phone, to, text, sentAt: deps.clock.now() };
  await receiveReply(deps, sandboxSource, { ...reply, media: media.map(mediaAt) });
}

/** Whoever fetches an address learns the type. */
function mediaAt(address: string): IncomingMedia {
  if (address === 'sample') return { url: samplePictureUrl, contentType: 'image/png' };
  return { url: address, contentType: 'application/octet-stream' };
}

function onScreen(from: ScreenText['from'], row: store.HandsetMessage | store.HandsetReply): ScreenText {
  const { carrierMessageId: id, textingNumber, text, dateTimeCreated } = row;
  const media = 'media' in row ? row.media : 0;
  return { id, from, textingNumber, text, media, status: null, dateTime: dateTimeCreated };
}

function ownerOf(phone: string): PhoneOwner | null {
  return owners.get(phone) ?? null;
}

/** Of the day by the sandbox's clock, in this machine's time zone. */
export async function countTextsToday({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<store.TextCounts> {
  const since = clock.now();
  since.setHours(0, 0, 0, 0);
  return store.countTexts(db, since);
}
