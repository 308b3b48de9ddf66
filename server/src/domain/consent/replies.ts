import { type Deps, inTransaction } from '../../deps.ts';
import { type AdvisorRow, findAdvisorByTextingNumber } from '../../store/accounts/advisors.ts';
import { hasReply, insertReply } from '../../store/consent/replies.ts';
import { insertReviews, type ReviewKind } from '../../store/supervision/reviews.ts';
import { lockMembers, type MemberRow, updateMember } from '../../store/texting/members.ts';
import { knowNumbers } from '../accounts/known-numbers.ts';
import { archive, byPerson } from '../archive/archive.ts';
import type { IncomingReply } from '../ports.ts';
import { sendWaitingTexts } from '../supervision/waiting-texts.ts';
import { ensureMembers } from '../texting/members.ts';
import { sendAnswer } from './answers.ts';
import { applyReply, type Sender } from './consent-replies.ts';
import { lockArchives, lockOthers } from './firm-opt-outs.ts';
import { endHold, holdTexts } from './possible-opt-outs.ts';
import { type ReplyMeaning, readReply } from './reading/reply-words.ts';

type ArchivedReply = { text: string; meaning: ReplyMeaning; sentAt: Date; archiveNumber: number };

/** What may opt a person out, maybe of the whole firm. */
const stops: readonly ReplyMeaning[] = ['opt_out', 'opt_out_wording', 'decline'];

const helpPauseMs = 60 * 1000;

/** Archives a person's text and applies it, in one transaction and only once, however often the carrier delivers it. */
export async function receiveReply(deps: Deps, received: IncomingReply): Promise<void> {
  // NUL can't be stored; the replacement character shows that something was there.
  const reply = { ...received, text: received.text.toWellFormed().replaceAll('\0', '\ufffd') };
  await deps.signals.replies.take(() => inTransaction(deps, (deps) => store(deps, reply)));
}

async function store(deps: Deps, reply: IncomingReply): Promise<void> {
  const advisor = await findAdvisorByTextingNumber(deps.db, reply.to);
  if (!advisor) return;
  const meaning = readReply(reply.text);
  const sender = await lockSender(deps, advisor, { ...reply, meaning });
  if (!sender) return;
  const archived = { ...(await archiveReply(deps, advisor, sender.member, reply)), meaning };
  await flag(deps, advisor, sender.member, archived);
  await answer(deps, advisor, sender, archived);
}

/**
 * Who wrote, locked; null if the text is a duplicate. The lock comes first: of five simultaneous deliveries,
 * one goes on, and the others wait for it and then find its text. A duplicate creates nothing, not even a contact that
 * was deleted since.
 */
async function lockSender(
  deps: Deps,
  advisor: AdvisorRow,
  reply: IncomingReply & { meaning: ReplyMeaning },
): Promise<Sender | null> {
  const { advisorId } = advisor;
  const number = { advisorId, phone: reply.from };
  const others = stops.includes(reply.meaning) ? await lockOthers(deps, advisor, reply.from) : [];
  await knowNumbers(deps, [number]);
  const [member] = await lockMembers(deps.db, advisorId, [number.phone]);
  if (!member) throw new Error('A member that was just inserted is missing.');
  if (await hasReply(deps.db, advisorId, { ...reply, memberId: member.memberId })) return null;
  await ensureMembers(deps, [number]);
  await lockArchives(deps, advisorId, others);
  return { member, others };
}

async function archiveReply(
  deps: Deps,
  { advisorId }: AdvisorRow,
  { memberId, name, lastReplyAt }: MemberRow,
  reply: IncomingReply,
): Promise<Omit<ArchivedReply, 'meaning'>> {
  const { from, to, carrierMessageId, text } = reply;
  const now = deps.clock.now();
  // No text was written after it arrived, whatever the carrier's clock says.
  const sentAt = reply.sentAt > now ? now : reply.sentAt;
  const meta = { from, to, carrierMessageId, sent: reply.sentAt.toISOString() };
  const events = [{ advisorId, type: 'message.received', memberId } as const];
  const entry = { advisorId, kind: 'text_in', memberId, meta, name, body: text, events } as const;
  const archiveNumber = await archive(deps, byPerson, entry);
  await insertReply(deps.db, advisorId, { memberId, archiveNumber, carrierMessageId }, now);
  if (!lastReplyAt || sentAt > lastReplyAt) await updateMember(deps.db, advisorId, memberId, { lastReplyAt: sentAt });
  return { text, sentAt, archiveNumber };
}

/** A person's text is never held or blocked, since it has already arrived. It is flagged if the lexicon matches. */
async function flag(
  deps: Deps,
  { advisorId, firmId }: AdvisorRow,
  { memberId }: MemberRow,
  { text, archiveNumber }: ArchivedReply,
): Promise<void> {
  const verdict = (await deps.judges.of(deps.db, [firmId])).get(firmId)?.(text);
  if (!verdict) return;
  const { rules, lexiconVersion } = verdict;
  const of = { memberId, archiveNumber, messageId: null, rules, lexiconVersion };
  await insertReviews(deps.db, [{ advisorId, firmId, kind: 'flagged', ...of }], deps.clock.now());
}

async function answer(deps: Deps, advisor: AdvisorRow, sender: Sender, reply: ArchivedReply): Promise<void> {
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
  if (effect.answer) await sendAnswer(deps, advisor, member, effect.answer);
  // After the confirmation, which should be the first text that somebody gets for agreeing.
  if (effect.moved === 'accepted') await sendWaitingTexts(deps, advisorId, member);
  if (meaning === 'opt_in' && effect.answer && endsDoubt(member, reply)) await endHold(deps, advisorId, member);
  if (meaning !== 'help' || !mayHelp(member, now)) return;
  await updateMember(deps.db, advisorId, memberId, { helpedAt: now });
  await sendAnswer(deps, advisor, member, 'help');
}

/** A START that was written before the reply in doubt says nothing about it. */
function endsDoubt({ heldSince }: MemberRow, { sentAt }: ArchivedReply): boolean {
  return heldSince !== null && sentAt >= heldSince;
}

function mayHelp({ helpedAt }: MemberRow, now: Date): boolean {
  return !helpedAt || now.getTime() - helpedAt.getTime() >= helpPauseMs;
}
