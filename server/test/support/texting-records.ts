import assert from 'node:assert/strict';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import type { TextKind } from '../../src/store/texting/texts.ts';
import type { Behavior, LedgerCarrier } from '../delivery/ledger-carrier.ts';
import { exemptMs, type TextingModel } from '../texting/texting-model.ts';
import type { TestDatabase } from './database.ts';
import { assertConsented, assertNotHeld, type Hold, mayGo } from './instants.ts';

/** All records of an advisor's texting. Times are in epoch milliseconds. */
export type Records = {
  members: { phone: string; state: ConsentState; requests: number; sinceMs: number }[];
  contacts: string[];
  messages: RecordedMessage[];
  consents: { phone: string; to: ConsentState; reason: string; instant: number }[];
  schedules: {
    scheduledMessageId: number;
    phone: string;
    text: string;
    dueMs: number;
    status: string;
    reason: string | null;
  }[];
  inbound: { phone: string; text: string; instant: number }[];
  reviews: { reviewId: number; phone: string; kind: string; status: string }[];
  /** Decisions of reviews. */
  decisions: { phone: string; kind: string; decision: string; outcome: string | null; instant: number }[];
  archive: { entries: number; first: number; last: number; head: number; sound: number };
};
export type RecordedMessage = {
  phone: string;
  kind: TextKind;
  /** From the archive, if the entry is this message's. */
  text: string | null;
  status: string;
  failureCode: string | null;
  carrierMessageId: string | null;
  createdMs: number;
  /** In the outbox. */
  waits: boolean;
  isClaimed: boolean;
  deferredMs: number | null;
  attempts: { instant: number; startedMs: number; outcome: string | null; code: string | null }[];
  /** The archived ones, in order. */
  outcomes: string[];
};

const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::bigint`;
const list = (columns: string, order: string, from: string) =>
  `(select coalesce(json_agg(json_build_object(${columns}) order by ${order}), '[]') from ${from})`;

const statement = `
  with claimed as materialized (
    select c.*
    from claims
    cross join lateral unnest(advisor_ids, message_ids, attempts) as c (advisor_id, message_id, attempt)
    where c.advisor_id = $1
  ),
  tried as materialized (
    select *
    from begun
    where advisor_id = $1
  )
  select
    ${list(`'phone', phone, 'state', state, 'requests', consent_requests, 'sinceMs', ${ms('last_changed')}`, 'phone', 'members where advisor_id = $1')} as members,
    (select coalesce(json_agg(phone order by contact_id), '[]') from contacts where advisor_id = $1) as contacts,
    ${list(
      `'phone', m.phone, 'kind', t.kind, 'text', convert_from(b.body, 'UTF8'), 'status', t.status,
       'failureCode', t.failure_code, 'carrierMessageId', t.carrier_message_id, 'createdMs', ${ms('t.date_time_created')},
       'waits', d.message_id is not null, 'deferredMs', ${ms('d.deferred_until')},
       'isClaimed', exists (
         select
         from claimed c
         where c.message_id = t.message_id and c.attempt = t.attempt + 1
       ),
       'attempts', ${list(
         `'instant', b.instant, 'startedMs', ${ms('b.date_time_started')}, 'code', a.code,
          'outcome', coalesce(a.outcome, case when b.attempt = t.attempt and t.date_time_sent is not null then 'accepted' end)`,
         'b.attempt',
         `tried b
          left join attempts a on a.advisor_id = t.advisor_id and a.message_id = t.message_id and a.attempt = b.attempt
          where b.message_id = t.message_id`,
       )},
       'outcomes', (
         select coalesce(json_agg(o.meta::json ->> 'outcome' order by o.number), '[]')
         from archive_entries o
         where o.advisor_id = t.advisor_id and o.message_id = t.message_id and o.kind = 'outcome'
       )`,
      't.message_id',
      `messages t
       join members m using (advisor_id, member_id)
       left join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
         and e.kind = 'text_out' and e.message_id = t.message_id and e.member_id = t.member_id
       left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
       left join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
       where t.advisor_id = $1`,
    )} as messages,
    ${list(
      `'phone', phone, 'to', e.meta::json ->> 'to', 'reason', e.meta::json ->> 'reason', 'instant', e.instant`,
      'e.number',
      `archive_entries e join members m using (advisor_id, member_id) where advisor_id = $1 and kind = 'consent'`,
    )} as consents,
    ${list(
      `'scheduledMessageId', s.scheduled_message_id, 'phone', phone, 'text', s.text, 'dueMs', ${ms('s.delivery_date')},
       'status', s.status, 'reason', s.reason`,
      's.scheduled_message_id',
      'scheduled_messages s join members using (advisor_id, member_id) where advisor_id = $1',
    )} as schedules,
    ${list(
      `'phone', m.phone, 'text', convert_from(body, 'UTF8'), 'instant', instant`,
      'number',
      `archive_entries join archive_bodies using (advisor_id, number) join members m using (advisor_id, member_id)
       where advisor_id = $1 and kind = 'text_in'`,
    )} as inbound,
    ${list(
      `'reviewId', r.review_id, 'phone', phone, 'kind', r.kind, 'status', r.status`,
      'r.review_id',
      'reviews r join members using (advisor_id, member_id) where advisor_id = $1',
    )} as reviews,
    ${list(
      `'phone', phone, 'kind', e.meta::json ->> 'review', 'decision', e.meta::json ->> 'decision',
       'outcome', e.meta::json ->> 'outcome', 'instant', e.instant`,
      'e.number',
      `archive_entries e join members using (advisor_id, member_id) where advisor_id = $1 and kind = 'review'`,
    )} as decisions,
    (
      select json_build_object(
        'entries', count(*), 'first', coalesce(min(number), 1), 'last', coalesce(max(number), 0),
        'head', coalesce((select last_number from archive_heads where advisor_id = $1), 0),
        'sound', count(*) filter (where sha256(salt || body) = commitment or (kind = 'outcome' and salt is null))
      )
      from archive_entries
      left join archive_bodies using (advisor_id, number)
      where advisor_id = $1
    ) as archive`;

export async function readRecords({ pool }: Pick<TestDatabase, 'pool'>, advisorId: number): Promise<Records> {
  const [records] = await pool.query<Records>(statement, [advisorId], 'read-records');
  assert.ok(records);
  return records;
}

/** Consent, contacts, schedules and accepted texts match the model. */
export function assertAsModelled(records: Records, model: TextingModel): void {
  assert.deepEqual(
    records.members,
    [...model.members]
      .map(([phone, { state, requests, sinceMs }]) => ({ phone, state, requests, sinceMs }))
      .sort((a, b) => (a.phone < b.phone ? -1 : 1)),
  );
  assert.deepEqual(records.contacts, model.contacts);
  assert.deepEqual(
    records.schedules,
    model.schedules.map(({ isDaily, ...schedule }) => schedule),
  );
  assert.deepEqual(
    records.messages.map(({ phone, kind, text }) => ({ phone, kind, text: kind === 'text' ? text : null })),
    model.messages,
  );
  assert.deepEqual(
    records.inbound.map(({ phone, text }) => ({ phone, text })),
    model.replies.map(({ phone, text }) => ({ phone, text })),
  );
  assert.deepEqual(
    records.reviews.map(({ reviewId, ...review }) => review),
    model.reviews.map(({ writtenMs, arrivedMs, ...review }) => review),
  );
  assert.deepEqual(
    records.decisions.map(({ phone }) => phone),
    model.decisions.map(({ phone }) => phone),
  );
}

/** The outcomes that a text can have, one after the other, and then its status. */
const outcomesOf =
  /^(queued|held|awaiting_consent|sent|in_doubt,(in_doubt|sent,sent)|(in_doubt,)?failed,failed|(in_doubt,(sent,)?)?(undelivered,undelivered|(undelivered,)?delivered,delivered))$/;

/**
 * Entries are numbered 1, 2, 3 …, each with a body that matches its commitment, and every message has one; so has each outcome
 * of a message, once.
 */
export function assertArchived({ archive, messages }: Records): void {
  const { entries } = archive;
  assert.deepEqual(archive, { entries, first: 1, last: entries, head: entries, sound: entries });
  for (const message of messages) assert.ok(message.text, `${JSON.stringify(message)} has no entry`);
  for (const { status, outcomes } of messages)
    assert.match([...outcomes, status].join(), outcomesOf, 'each outcome is an entry, and the last one is the status');
}

/** Every attempt had consent at its instant, was not to be held, and was made within the recipient's hours and in time. */
export function assertAttemptsAllowed(records: Records, model: TextingModel): void {
  const { messages, consents } = records;
  const attempts = messages.flatMap(({ attempts, ...message }) => attempts.map((each) => ({ ...message, ...each })));
  const { consentRequired, quietHours } = model.settings;
  assertConsented(attempts, consents, consentRequired);
  assertNotHeld(attempts, holdsOf(records, model));
  for (const attempt of attempts) {
    const { phone, kind, text, startedMs, createdMs } = attempt;
    if (kind === 'opt_out') assert.ok(startedMs - createdMs <= 5 * 60_000, 'a confirmation within 5 minutes or never');
    if (quietHours === 'off' || (kind !== 'text' && kind !== 'consent_request')) continue;
    const wrote = model.replies.some((reply) => reply.phone === phone && reply.stampMs + exemptMs > startedMs);
    assert.ok(
      (wrote && model.answers.has(text ?? '')) || model.isOpen(startedMs),
      `${JSON.stringify(attempt)} was made at night`,
    );
  }
}

/** When a person's texts began or ceased to be held. */
function holdsOf({ inbound, decisions }: Records, model: TextingModel): Hold[] {
  const replies = inbound.map(({ phone, instant }, index) => ({ phone, instant, ...model.replies[index] }));
  const decided = decisions.map(({ phone, instant }, index) => ({ phone, instant, ...model.decisions[index] }));
  return [...replies, ...decided].map(({ phone, instant, isHeld = false }) => ({ phone, instant, isHeld }));
}

/** A text claimed by a node that died before calling the carrier. */
export type AbandonedText = { from: string; to: string; text: string };

/**
 * Each accepted text went out once, failed for a valid reason, is in doubt, or waits; none was lost or sent twice. Texts
 * with the same wording to the same phone can't be told apart, so they are counted together.
 */
export function assertAccounted(
  records: Records,
  carrier: Pick<LedgerCarrier, 'ledger' | 'handed' | 'receipts'>,
  abandoned: AbandonedText[],
  model: TextingModel,
): void {
  const messagesOf = Map.groupBy(records.messages, ({ phone, text }) => `${phone} ${text}`);
  const takenOf = Map.groupBy(carrier.ledger, ({ to, text }) => `${to} ${text}`);
  const handedOf = Map.groupBy(carrier.handed, ({ to, text }) => `${to} ${text}`);
  const abandonedOf = Map.groupBy(abandoned, ({ to, text }) => `${to} ${text}`);
  for (const key of [...handedOf.keys(), ...abandonedOf.keys()])
    assert.ok(messagesOf.has(key), `${key}: no such message`);
  for (const [key, messages] of messagesOf) {
    const taken = takenOf.get(key) ?? [];
    const handed = handedOf.get(key) ?? [];
    const told = taken.filter(({ answered }) => answered).map(({ id }) => id);
    const ids = messages.flatMap(({ carrierMessageId }) => carrierMessageId ?? []);
    assert.deepEqual(
      ids.toSorted(),
      told.toSorted(),
      `${key}: each text that the carrier says it accepted is one message`,
    );
    const unknown = messages.filter(({ status, isClaimed }) => status === 'in_doubt' || isClaimed);
    assert.ok(
      taken.length - told.length <= unknown.length,
      `${key}: a text accepted without our knowledge is in doubt`,
    );
    const attempts = messages.flatMap((message) => message.attempts).filter(hasBegun).length;
    const calls = handed.length + (abandonedOf.get(key)?.length ?? 0);
    assert.equal(attempts, calls, `${key}: one attempt is recorded per call`);
    for (const message of messages) {
      const reason = wrongStatus(message, { records, handed, carrier, model });
      assert.equal(reason, null, `${reason}: ${JSON.stringify(message)}`);
    }
  }
}

/** On a busy machine a claimed text may be too late for the carrier. It goes back. */
export function hasBegun({ code }: RecordedMessage['attempts'][number]): boolean {
  return code !== 'not_begun';
}

/** Nothing waits that could go out: every text has ended unless it is deferred. */
export function assertEnded({ messages }: Records, nowMs: number): void {
  for (const message of messages) {
    const { status, deferredMs, createdMs } = message;
    const mayWait =
      (status !== 'queued' || Number(deferredMs) > nowMs) &&
      (status !== 'awaiting_consent' || createdMs + 24 * 3_600_000 > nowMs);
    assert.ok(mayWait, `it waits for no reason: ${JSON.stringify(message)}`);
  }
}

type Context = {
  records: Records;
  handed: { behavior: Behavior }[];
  carrier: Pick<LedgerCarrier, 'receipts'>;
  model: TextingModel;
};

/** What is wrong with a message's status, or null. */
function wrongStatus(message: RecordedMessage, context: Context): string | null {
  const { status, failureCode, carrierMessageId, waits, isClaimed, attempts } = message;
  const wrongWait = wrongAfterWait(message, context);
  if (wrongWait) return wrongWait;
  const last = attempts.at(-1)?.outcome;
  if (waits && isClaimed) return 'claimed, although it is in the outbox';
  if ((waits || isClaimed) !== (status === 'queued')) return 'its status and its place in the outbox disagree';
  if ((carrierMessageId === null) !== !['sent', 'delivered', 'undelivered'].includes(status))
    return 'its id and its status disagree';
  switch (status) {
    case 'queued':
      if (isClaimed) return last === null ? null : 'still claimed, although its attempt has ended';
      return last === undefined || last === 'not_taken' ? null : 'waits, although it was attempted';
    case 'in_doubt':
      return last === 'unknown' ? null : 'in doubt without a reason';
    case 'awaiting_consent':
      return null;
    case 'held':
      return isHeld(message, context) ? null : 'held, although nothing is in doubt';
    case 'failed':
      return hasValidReason(message, context) ? null : `failed with ${failureCode} without a reason`;
    default: {
      const receipts = context.carrier.receipts.get(carrierMessageId ?? '');
      const expected = receipts?.has('delivered') ? 'delivered' : receipts?.has('undelivered') ? 'undelivered' : 'sent';
      if (last !== 'accepted') return 'sent, but not by its last attempt';
      return status === expected ? null : `not ${expected}`;
    }
  }
}

/** A text waits for consent exactly while the model says so; a lapse may not have been noticed yet. */
function wrongAfterWait(
  { phone, text, kind, status, failureCode }: RecordedMessage,
  { model }: Context,
): string | null {
  const wait = model.waits.find((each) => kind === 'text' && each.phone === phone && each.text === text);
  const fate = wait?.fate ?? 'released';
  const actual = status === 'awaiting_consent' ? 'waits' : failureCode;
  if (fate === 'released') return actual === 'waits' || actual === 'consent_lapsed' ? 'it never waited' : null;
  const mayHaveLapsed = fate === 'waits' && wait && !model.isWaiting(wait) && actual === 'consent_lapsed';
  return actual === fate || mayHaveLapsed ? null : `its wait should have ended as ${fate}`;
}

function isHeld({ phone, kind, attempts }: RecordedMessage, { model }: Context): boolean {
  const isOfKind = kind === 'text' || kind === 'consent_request' || kind === 'reminder';
  return (
    isOfKind && model.members.get(phone)?.doubtMs !== null && attempts.every((each) => each.outcome === 'not_taken')
  );
}

function hasValidReason({ phone, kind, failureCode, attempts, createdMs }: RecordedMessage, context: Context): boolean {
  const { records, handed, model } = context;
  const { consentRequired, quietHours } = model.settings;
  const carrierSaid = (...said: Behavior[]) => handed.some(({ behavior }) => said.includes(behavior));
  const refused = attempts.at(-1)?.outcome === 'refused';
  switch (failureCode) {
    case 'rejected':
      return refused && carrierSaid('refuses it');
    case 'carrier_unavailable':
      return attempts.length === 12 || carrierSaid('answers late that it did not take it');
    case 'expired':
      return model.nowMs - createdMs > (kind === 'opt_out' ? 5 * 60_000 : 24 * 3_600_000);
    case 'consent_lapsed':
      return model.waits.some((wait) => wait.phone === phone && !model.isWaiting(wait));
    case 'quiet_hours':
      return quietHours === 'refuse';
    case 'opted_out':
      if (refused) return carrierSaid('says opted out');
  }
  const states: Record<string, ConsentState[]> = {
    opted_out: ['opted_out'],
    consent_pending: ['pending'],
    not_consented: ['none', 'accepted'],
  };
  return records.consents.some(
    ({ to, ...change }) =>
      change.phone === phone && states[failureCode ?? '']?.includes(to) && !mayGo(kind, to, consentRequired),
  );
}
