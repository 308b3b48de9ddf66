import { type Deps, inTransaction } from '../../deps.ts';
import { type AdvisorRow, findAdvisor, findAdvisorByTextingNumber } from '../../store/accounts/advisors.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import { findEarlierOwner } from '../../store/carriers/numbers.ts';
import { hasReply, insertReply } from '../../store/consent/replies.ts';
import { lockMembers, type MemberRow, updateMember } from '../../store/members/members.ts';
import { insertReviews, type ReviewKind } from '../../store/supervision/reviews.ts';
import { archive, byPerson } from '../archive/archive.ts';
import { knowNumbers } from '../members/known-numbers.ts';
import { carrierMessageIdMax, type IncomingReply, type OpenCarrier } from '../ports.ts';
import { readNumber } from '../shared/phone-numbers.ts';
import type { Member } from '../shared/signals.ts';
import { storable } from '../shared/text/text-rules.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { claimedTextsBegun } from '../texting/claimed-texts.ts';
import { ensureMembers } from '../texting/recipients.ts';
import { sendWaitingTexts } from '../texting/waiting-texts.ts';
import { sendAnswer } from './answers.ts';
import { applyReply } from './consent-replies.ts';
import { type LockedPerson, lockForms, lockPerson } from './consents.ts';
import { endHold, holdTexts } from './possible-opt-outs.ts';
import { type ReplyMeaning, readReply } from './reading/reply-words.ts';
import { keepMedia, mediaFacts } from './reply-media.ts';

type ReplySource = Pick<OpenCarrier, 'carrierId' | 'answersKeywords'>;
type ReceivedReply = IncomingReply & { by: ReplySource };
type ArchivedReply = {
  text: string;
  meaning: ReplyMeaning;
  sentAt: Date;
  archiveNumber: number;
  /** The carrier has confirmed it, so we don't. */
  isAnswered: boolean;
};

/** What may opt a person out, maybe of the whole firm. */
const stops: readonly ReplyMeaning[] = ['opt_out', 'opt_out_wording', 'decline'];
/** What ends texts to the person, or holds them. */
const endings: readonly ReplyMeaning[] = [...stops, 'possible_opt_out'];

const helpPauseMs = 60 * 1000;
/** As much of a sender that is no number is kept. */
const senderLengthMax = 100;
/** How long the carrier that a number was with may still bring replies, although somebody has the number with another one. */
const movedMs = 3 * dayMs;

/** What a carrier that answers keywords says that it took a text for. */
const keywordMeanings = { start: 'opt_in', help: 'help' } as const;

/**
 * Archives a person's text and applies it, in one transaction and only once, however often the carrier delivers it. False if it
 * is for no number that the carrier has: then it changes nothing. When it returns, the reply may be acknowledged: after a stop no
 * text to the person begins any more.
 */
export async function receiveReply(deps: Deps, by: ReplySource, received: IncomingReply): Promise<boolean> {
  const carrierMessageId = storable(received.carrierMessageId, carrierMessageIdMax);
  const reply = { ...received, by, carrierMessageId, text: storable(received.text) };
  const stopped = await deps.signals.replies.take(() => inTransaction(deps, (deps) => storeReply(deps, reply)));
  if (stopped && stopped.length > 0) await claimedTextsBegun(deps, stopped);
  return stopped !== null;
}

/** The members to whom no more texts go because of it; null if it is for no number that the carrier has. */
async function storeReply(deps: Deps, brought: ReceivedReply): Promise<Member[] | null> {
  const [from, to] = [readNumber(brought.from), readNumber(brought.to)];
  const advisor = to && (await findOwner(deps, to, brought.by));
  if (!advisor) return null;
  if (!from) {
    await keepMisdirected(deps, advisor, { ...brought, to });
    return [];
  }
  const reply = { ...brought, from, to };
  const meaning = meaningOf(reply);
  const { isDuplicate, ...sender } = await lockSender(deps, advisor, { ...reply, meaning });
  const { advisorId } = advisor;
  const stopped = endings.includes(meaning) ? [{ ...sender.member, advisorId }, ...sender.others] : [];
  if (!isDuplicate) await applyText(deps, advisor, sender, reply);
  return stopped;
}

/** Archives what a person wrote, and does what it asks for: inside a transaction, with everybody whom it concerns locked. */
export async function applyText(
  deps: Deps,
  advisor: AdvisorRow,
  sender: LockedPerson,
  reply: ReceivedReply,
): Promise<void> {
  const meaning = meaningOf(reply);
  const isAnswered = isAnsweredByCarrier(reply, meaning);
  const archived = { ...(await archiveReply(deps, advisor, sender.member, reply)), meaning, isAnswered };
  await flag(deps, advisor, sender.member, archived);
  await answer(deps, advisor, sender, archived);
}

/** Whose the number is with this carrier, or was: a STOP to the number that a person knows, or that a carrier kept, must not be lost. */
async function findOwner(
  { db, databaseClock }: Deps,
  number: string,
  { carrierId }: ReplySource,
): Promise<AdvisorRow | null> {
  const owner = await findAdvisorByTextingNumber(db, number);
  if (owner?.carrierId === carrierId) return owner;
  const leftSince = realTimeIn({ databaseClock }, -movedMs);
  const earlier = await findEarlierOwner(db, number, { carrierId, leftSince });
  return earlier === null ? null : findAdvisor(db, String(earlier));
}

/**
 * A carrier's STOP counts however we read the text, its START and HELP only where we read nothing: some say START for a YES, which
 * counts only if it answers a request.
 */
function meaningOf({ text, keyword }: IncomingReply): ReplyMeaning {
  const read = readReply(text);
  if (keyword === 'stop') return stops.includes(read) ? read : 'opt_out';
  return keyword && read === 'other' ? keywordMeanings[keyword] : read;
}

/** Whether the carrier has confirmed it. One that doesn't tell what it took a text for answers the words that everybody knows. */
function isAnsweredByCarrier({ keyword, by }: ReceivedReply, meaning: ReplyMeaning): boolean {
  const isTaken = keyword === undefined ? meaning === 'opt_out' || meaning === 'help' : keyword !== null;
  return by.answersKeywords && isTaken;
}

/**
 * Who wrote, locked, and whether the text is a duplicate. The lock comes first: of five simultaneous deliveries,
 * one goes on, and the others wait for it and then find its text. A duplicate creates nothing, not even a contact that
 * was deleted since.
 */
async function lockSender(deps: Deps, advisor: AdvisorRow, reply: ReceivedReply & { meaning: ReplyMeaning }) {
  const { advisorId } = advisor;
  const number = { advisorId, phone: reply.from };
  let isDuplicate = false;
  async function lockOwn(): Promise<MemberRow> {
    await knowNumbers(deps, [number]);
    const [member] = await lockMembers(deps.db, advisorId, [number.phone]);
    if (!member) throw new Error('A member that was just inserted is missing.');
    isDuplicate = await hasReply(deps.db, advisorId, { ...reply, ...reply.by, memberId: member.memberId });
    if (!isDuplicate) await ensureMembers(deps, [number]);
    return member;
  }
  const person = stops.includes(reply.meaning)
    ? await lockPerson(deps, advisor, { phone: reply.from, number: reply.to }, lockOwn)
    : await lockForms(deps, advisor, reply.from, lockOwn);
  return { ...person, isDuplicate };
}

/**
 * A text from nobody whom we could answer: no sender, a name, a short code. It is archived and up for the firm's review, and does
 * nothing else, whatever it says. The archive's lock is what duplicates wait for.
 */
async function keepMisdirected(deps: Deps, { advisorId, firmId }: AdvisorRow, reply: ReceivedReply): Promise<void> {
  await lockHeads(deps.db, [advisorId]);
  if (await hasReply(deps.db, advisorId, { ...reply, ...reply.by, memberId: null })) return;
  const from = storable(reply.from, senderLengthMax);
  const archiveNumber = await archiveText(deps, advisorId, { ...reply, from }, null);
  const of = { memberId: null, archiveNumber, messageId: null, rules: [], lexiconVersion: null };
  await insertReviews(deps.db, [{ advisorId, firmId, kind: 'misdirected', ...of }], deps.clock.now());
}

async function archiveReply(
  deps: Deps,
  { advisorId }: AdvisorRow,
  member: MemberRow,
  reply: ReceivedReply,
): Promise<Pick<ArchivedReply, 'text' | 'sentAt' | 'archiveNumber'>> {
  const { memberId, lastReplyAt } = member;
  const now = deps.clock.now();
  // No text was written after it arrived, whatever the carrier's clock says.
  const sentAt = reply.sentAt > now ? now : reply.sentAt;
  const archiveNumber = await archiveText(deps, advisorId, reply, member);
  if (!lastReplyAt || sentAt > lastReplyAt) await updateMember(deps.db, advisorId, memberId, { lastReplyAt: sentAt });
  return { text: reply.text, sentAt, archiveNumber };
}

/** The entry of a text that came in, and what tells a duplicate of it. Partners are told of those from people. */
async function archiveText(
  deps: Deps,
  advisorId: number,
  reply: ReceivedReply,
  member: Pick<MemberRow, 'memberId' | 'name'> | null,
): Promise<number> {
  const { from, to, carrierMessageId, text, sentAt, incomplete, keyword, media = [], by } = reply;
  const memberId = member?.memberId ?? null;
  const meta = {
    from,
    to,
    carrierMessageId,
    sent: sentAt.toISOString(),
    ...(member ? {} : { misdirected: true }),
    ...(incomplete ? { incomplete } : {}),
    ...(keyword ? { keyword } : {}),
    ...mediaFacts(media),
  };
  const events = memberId === null ? [] : [{ advisorId, type: 'message.received', memberId } as const];
  const entry = { advisorId, kind: 'text_in', memberId, meta, name: member?.name ?? null, body: text, events } as const;
  const archiveNumber = await archive(deps, byPerson, entry);
  const { carrierId } = by;
  await insertReply(deps.db, advisorId, { memberId, archiveNumber, carrierId, carrierMessageId }, deps.clock.now());
  await keepMedia(deps, advisorId, { memberId, replyNumber: archiveNumber, carrierId }, media);
  return archiveNumber;
}

/** A person's text is never held or blocked, since it has already arrived. It is flagged if the lexicon matches. */
async function flag(
  deps: Deps,
  { advisorId, firmId }: AdvisorRow,
  { memberId }: MemberRow,
  { text, archiveNumber }: ArchivedReply,
): Promise<void> {
  const finding = (await deps.screeners.of(deps.db, [firmId])).get(firmId)?.(text);
  if (!finding) return;
  const { rules, lexiconVersion } = finding;
  const of = { memberId, archiveNumber, messageId: null, rules, lexiconVersion };
  await insertReviews(deps.db, [{ advisorId, firmId, kind: 'flagged', ...of }], deps.clock.now());
}

async function answer(deps: Deps, advisor: AdvisorRow, sender: LockedPerson, reply: ArchivedReply): Promise<void> {
  const { advisorId, firmId } = advisor;
  const { member } = sender;
  const { memberId } = member;
  const { meaning } = reply;
  const now = deps.clock.now();
  const effect = await applyReply(deps, advisorId, sender, reply);
  const kinds: ReviewKind[] = [];
  if (effect.moved && meaning === 'opt_out_wording') kinds.push(meaning);
  if (effect.outOfOrder) kinds.push('out_of_order');
  if (meaning === 'possible_opt_out' && (await holdTexts(deps, advisorId, member, reply.sentAt))) kinds.push(meaning);
  const of = { memberId, archiveNumber: reply.archiveNumber, messageId: null, rules: [], lexiconVersion: null };
  const reviews = kinds.map((kind) => ({ advisorId, firmId, kind, ...of }));
  await insertReviews(deps.db, reviews, now);
  if (effect.answer && !reply.isAnswered)
    await sendAnswer(deps, advisor, member, { kind: effect.answer, arrivedAt: now });
  // After the confirmation, which should be the first text that somebody gets for agreeing.
  if (effect.moved === 'accepted') await sendWaitingTexts(deps, advisorId, member);
  if (meaning === 'opt_in' && effect.answer && endsDoubt(member, reply)) await endHold(deps, advisorId, member);
  if (meaning !== 'help' || !mayHelp(member, now)) return;
  await updateMember(deps.db, advisorId, memberId, { helpedAt: now });
  if (!reply.isAnswered) await sendAnswer(deps, advisor, member, { kind: 'help', arrivedAt: now });
}

/** A START that was written before the reply in doubt says nothing about it. */
function endsDoubt({ heldSince }: MemberRow, { sentAt }: ArchivedReply): boolean {
  return heldSince !== null && sentAt >= heldSince;
}

function mayHelp({ helpedAt }: MemberRow, now: Date): boolean {
  return !helpedAt || now.getTime() - helpedAt.getTime() >= helpPauseMs;
}
