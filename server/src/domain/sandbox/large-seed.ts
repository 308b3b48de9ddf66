import { randomUUID } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import { sandboxCarrierId } from '../../store/carriers/carriers.ts';
import type { Transaction } from '../../store/database/db.ts';
import { noDetails, type OutcomeRow, recordOutcomes } from '../../store/delivery/outcomes.ts';
import { lockMembers, type MemberRow } from '../../store/members/members.ts';
import { insertHandsetMessages } from '../../store/sandbox/handsets.ts';
import { insertReadConversations, type QueuedText, takeQueuedTexts } from '../../store/sandbox/seeded-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import type { Advisor } from '../accounts/advisors.ts';
import { startImport } from '../address-book/contact-imports.ts';
import { byAdvisor } from '../archive/archive.ts';
import { ask, collectionProblem } from '../consent/consent-requests.ts';
import { lockPerson } from '../consent/consents.ts';
import { applyText } from '../consent/replies.ts';
import { knownRecipient, type Recipient } from '../texting/recipients.ts';
import { acceptTexts, compose, textingProblem } from '../texting/texts.ts';
import { sandboxSource } from './initial-consent.ts';
import { type SeededConversation, seededContact, seededConversation, seededPhone } from './seeded-people.ts';

type SeedSize = { contacts: number; conversations: number };
type SeedCounts = { contacts: number; conversations: number; texts: number; replies: number };
const largeSeed: SeedSize = { contacts: 100_000, conversations: 5_000 };

type OnProgress = (what: 'Contacts' | 'Conversations', done: number, total: number) => void;
type InTransaction = Omit<Deps, 'db'> & { readonly db: Transaction };
type LastOutcome = SeededConversation['lastOutcome'];

const contactsAtOnce = 2_500;
const conversationsAtOnce = 250;
const stop = 'STOP';

/**
 * Fills an advisor's book and inbox, for demonstrations. People are asked, accept, are texted and reply as anybody would, in the
 * same functions and so with the same entries and events. Only the carrier is left out: each text leaves the outbox with its outcome
 * in the transaction that queued it. Everything happens now, because an archive's entries can't be from before those that it has.
 * Each batch is one transaction, and what is there is left alone: whoever stops it may run it again. Null if it is all there.
 */
export async function seedLarge(
  deps: Deps,
  advisor: Advisor,
  size: SeedSize = largeSeed,
  onProgress: OnProgress = () => {},
): Promise<SeedCounts | null> {
  const { advisorId } = advisor;
  const phone = seededPhone(indexOf(size, size.conversations - 1));
  const last = await listRecipients(deps.db, [{ advisorId, phone }]);
  if (last.some(({ state }) => state !== null && state !== 'none')) return null;
  const cannot = textingProblem(last) ?? collectionProblem(last);
  if (cannot) throw cannot;
  const seeded: SeedCounts = { contacts: 0, conversations: 0, texts: 0, replies: 0 };
  const contacts = startImport(deps, advisorId, { dryRun: false });
  for (const indexes of batches(size.contacts, contactsAtOnce)) {
    const results = await contacts.save(indexes.map(seededContact));
    seeded.contacts += results.filter(({ result }) => result === 'created').length;
    onProgress('Contacts', (indexes.at(-1) ?? 0) + 1, size.contacts);
  }
  for (const places of batches(size.conversations, conversationsAtOnce)) {
    const conversations = places.map((place) => seededConversation(indexOf(size, place)));
    const { texts, replies, ...made } = await inTransaction(deps, (deps) => converse(deps, advisor, conversations));
    seeded.conversations += made.conversations;
    seeded.texts += texts;
    seeded.replies += replies;
    onProgress('Conversations', (places.at(-1) ?? 0) + 1, size.conversations);
  }
  return seeded;
}

/** Conversations are with people from all over the book. */
function indexOf({ contacts, conversations }: SeedSize, place: number): number {
  return place * Math.floor(contacts / conversations);
}

function* batches(count: number, size: number): Generator<number[]> {
  for (let start = 0; start < count; start += size)
    yield Array.from({ length: Math.min(size, count - start) }, (_, index) => start + index);
}

/** Conversations side by side, turn by turn. People about whom anything has happened are left out. */
async function converse(
  deps: InTransaction,
  advisor: Advisor,
  given: SeededConversation[],
): Promise<Omit<SeedCounts, 'contacts'>> {
  const { advisorId } = advisor;
  const phones = given.map(({ phone }) => phone);
  const untouched = (await lockMembers(deps.db, advisorId, phones)).filter(isUntouched);
  const memberIds = new Map(untouched.map(({ phone, memberId }) => [phone, memberId]));
  const people = given.filter(({ phone }) => memberIds.has(phone));
  if (people.length === 0) return { conversations: 0, texts: 0, replies: 0 };
  const idsOf = (some: SeededConversation[]) => some.map(({ phone }) => memberIds.get(phone) ?? -1);

  async function recipientsOf(some: SeededConversation[]): Promise<Recipient[]> {
    const rows = await listRecipients(
      deps.db,
      some.map(({ phone }) => ({ advisorId, phone })),
    );
    // The pace is for the carrier, who gets none of these.
    return rows.map((row) => ({ ...knownRecipient(row), textingPace: null }));
  }
  let texts = 0;
  /** The carrier's part. */
  async function settle(some: SeededConversation[], outcomeOf: (phone: string) => LastOutcome = () => 'delivered') {
    const queued = await takeQueuedTexts(deps.db, advisorId, idsOf(some));
    await recordCarrier(deps, advisor, queued, outcomeOf);
    texts += queued.length;
  }
  let replies = 0;
  async function reply(some: SeededConversation[], textOf: (each: SeededConversation) => string): Promise<void> {
    const textsOf = new Map(some.map((each) => [each.phone, textOf(each)]));
    for (const member of await lockMembers(deps.db, advisorId, [...textsOf.keys()]))
      await receive(deps, advisor, member, textsOf.get(member.phone) ?? '');
    replies += some.length;
  }

  const by = byAdvisor(advisorId, null);
  const asked = (await recipientsOf(people)).map((to) => ({ to, hours: { deferredUntil: null, openUntil: null } }));
  await ask(deps, { advisorId, by, now: deps.clock.now() }, asked);
  await settle(people);
  await reply(
    people.filter(({ consent }) => consent !== 'pending'),
    () => 'ACCEPT',
  );
  await settle(people);
  for (let turn = 0; turn < Math.max(...people.map(({ turns }) => turns.length)); turn++) {
    const textOf = ({ turns }: SeededConversation) => turns[turn]?.text ?? '';
    const written = people.filter(({ turns }) => turns[turn]?.from === 'person');
    if (written.length > 0) await reply(written, textOf);
    const texted = people.filter(({ turns }) => turns[turn]?.from === 'advisor');
    if (texted.length === 0) continue;
    const drafts = (await recipientsOf(texted)).map((to, index) => ({
      to,
      text: { advisorId, kind: 'text' as const, text: textOf(texted[index] as SeededConversation), by },
    }));
    await acceptTexts(deps, await compose(deps, drafts));
    const ends = new Map(
      texted.flatMap(({ phone, turns, lastOutcome }) => (turn === turns.length - 1 ? [[phone, lastOutcome]] : [])),
    );
    await settle(texted, (phone) => ends.get(phone) ?? 'delivered');
  }
  const stopping = people.filter(({ consent }) => consent === 'opted_out');
  await reply(stopping, () => stop);
  await settle(stopping);
  const [read, done] = [people.filter(({ isRead }) => isRead), people.filter(({ isDone }) => isDone)];
  await insertReadConversations(deps.db, advisorId, { read: idsOf(read), done: idsOf(done) }, deps.clock.now());
  return { conversations: people.length, texts, replies };
}

function isUntouched({ state, consentRequests, lastReplyAt }: MemberRow): boolean {
  return state === 'none' && consentRequests === 0 && lastReplyAt === null;
}

async function receive(deps: InTransaction, advisor: Advisor, member: MemberRow, text: string): Promise<void> {
  // Only a stop concerns the firm's other advisors.
  const others =
    text === stop ? (await lockPerson(deps, advisor, { phone: member.phone }, async () => member)).others : [];
  const reply = { carrierMessageId: randomUUID(), from: member.phone, to: advisor.textingNumber ?? '', text };
  await applyText(deps, advisor, { member, others }, { ...reply, sentAt: deps.clock.now(), by: sandboxSource });
}

/** Records what became of texts, and what the sandbox's phones received, as if the sandbox's carrier had had them. */
async function recordCarrier(
  deps: InTransaction,
  { advisorId, textingNumber }: Advisor,
  queued: QueuedText[],
  outcomeOf: (phone: string) => LastOutcome,
): Promise<void> {
  if (queued.length === 0) return;
  const now = deps.clock.now();
  const sent = queued.map((text) => ({ ...text, carrierMessageId: randomUUID(), outcome: outcomeOf(text.phone) }));
  const outcomes = sent.map(({ messageId, carrierMessageId, outcome }): OutcomeRow => {
    const of = { advisorId, messageId, attempt: 1, carrierId: sandboxCarrierId, dateTimeStarted: now };
    const row = { ...noDetails, ...of };
    if (outcome === 'failed')
      return { ...row, outcome: 'refused', status: 'failed', code: 'unreachable', failureCode: 'unreachable' };
    const receipt = outcome === 'sent' ? null : { status: outcome };
    return { ...row, outcome: 'accepted', status: 'sent', carrierMessageId, receipt };
  });
  await recordOutcomes(deps.db, outcomes, { now, endedClaims: [] });
  const taken = sent.filter(({ outcome }) => outcome !== 'failed');
  await insertHandsetMessages(
    deps.db,
    taken.map(({ phone, text, carrierMessageId, messageId: reference, outcome }) => {
      const message = { phone, text, carrierMessageId, reference, textingNumber: textingNumber ?? '' };
      return { ...message, dateTimeCreated: now, received: outcome !== 'undelivered' };
    }),
  );
}
