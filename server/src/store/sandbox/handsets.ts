import type { ConsentState } from '../consent/consents.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';
import type { HeldReason } from '../texting/texts.ts';

/** A text that a sandbox phone received. */
export type HandsetMessage = {
  phone: string;
  textingNumber: string;
  text: string;
  carrierMessageId: string;
  /** The message's id. */
  reference?: number | null;
  dateTimeCreated: Date;
};

/** A text that the carrier accepted, and whether the phone received it. */
export type NewHandsetMessage = HandsetMessage & { received: boolean };

export async function insertHandsetMessages(db: Db, messages: NewHandsetMessage[]): Promise<void> {
  await db.query(
    `insert into handset_messages (phone, texting_number, text, carrier_message_id, reference, date_time_created, received)
     select phone, texting_number, text, carrier_message_id, reference, date_time_created, received
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::boolean[])
       with ordinality
       as given (phone, texting_number, text, carrier_message_id, reference, date_time_created, received, position)
     order by position`,
    columnsOf(
      messages,
      'phone',
      'textingNumber',
      'text',
      'carrierMessageId',
      'reference',
      'dateTimeCreated',
      'received',
    ),
    'insert-handset-messages',
  );
}

/** The first text that the carrier accepted at that time or later, received or not, or null. */
export async function findHandsetRecord(db: Db, from: Date): Promise<number | null> {
  return db.value<number>(
    'select min(handset_message_id) as "handsetMessageId" from handset_messages where date_time_created >= $1',
    [from],
  );
}

export async function listHandsetRecords(db: Db, fromId: number, limit: number) {
  return db.query<HandsetMessage & { handsetMessageId: number }>(
    `select
       handset_message_id as "handsetMessageId", phone, texting_number as "textingNumber", text,
       carrier_message_id as "carrierMessageId", reference, date_time_created as "dateTimeCreated"
     from handset_messages
     where handset_message_id >= $1
     order by handset_message_id
     limit $2`,
    [fromId, limit],
  );
}

/** The newest texts that the phone received, oldest first. */
export async function listHandsetMessages(db: Db, phone: string, limit: number): Promise<HandsetMessage[]> {
  const rows = await db.query<HandsetMessage>(
    `select
       phone, texting_number as "textingNumber", text, carrier_message_id as "carrierMessageId", reference,
       date_time_created as "dateTimeCreated"
     from handset_messages
     where phone = $1 and received
     order by handset_message_id desc
     limit $2`,
    [phone, limit],
  );
  return rows.reverse();
}

/** A text that a phone sent. `text` is null if it is no longer kept. */
export type HandsetReply = Omit<HandsetMessage, 'text' | 'reference'> & { text: string | null; media: number };
/**
 * An advisor who can get a reply, with the phone's consent, which is null if the number is unknown. While `isHeld`, a reply may
 * mean stop.
 */
export type HandsetSender = { name: string; textingNumber: string; state: ConsentState | null; isHeld: boolean };
/** How many of an advisor's texts to the phone are held for this reason. */
export type HandsetBacklog = { textingNumber: string; heldReason: HeldReason; count: number };
type HandsetRow = { phone: string; text: string | null; dateTimeCreated: Date };

/** The newest texts that the phone sent, to any advisor, oldest first. Spans advisors: a phone texts with anybody. */
export async function listHandsetReplies(db: Db, phone: string, limit: number): Promise<HandsetReply[]> {
  const rows = await db.query<HandsetReply>(
    `select
       m.phone, a.texting_number as "textingNumber", convert_from(b.body, 'UTF8') as text,
       coalesce(json_array_length(e.meta::json -> 'media'), 0) as media, r.carrier_message_id as "carrierMessageId",
       r.date_time_created as "dateTimeCreated"
     from advisors a
     join members m on m.advisor_id = a.advisor_id and m.phone = $1
     join replies r on r.advisor_id = m.advisor_id and r.member_id = m.member_id
     join archive_entries e on e.advisor_id = r.advisor_id and e.number = r.archive_number
     left join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.archive_number
     where a.texting_number is not null
     order by r.date_time_created desc, r.reply_id desc
     limit $2`,
    [phone, limit],
  );
  return rows.reverse();
}

/** The advisors with a texting number, those who know the phone first. Spans advisors: a phone texts with anybody. */
export async function listHandsetSenders(db: Db, phone: string, limit: number): Promise<HandsetSender[]> {
  return db.query<HandsetSender>(
    `select a.name, a.texting_number as "textingNumber", m.state, m.held_since is not null as "isHeld"
     from advisors a
     left join members m on m.advisor_id = a.advisor_id and m.phone = $1
     where a.texting_number is not null
     order by m.member_id is null, a.advisor_id
     limit $2`,
    [phone, limit],
  );
}

/** What became of texts that the carrier accepted. Spans advisors: a phone texts with anybody. */
export async function listHandsetStatuses(db: Db, texts: HandsetMessage[]) {
  return db.query<{ reference: number; status: string }>(
    `select given.reference, t.status
     from unnest($1::text[], $2::bigint[]) as given (texting_number, reference)
     join advisors a on a.texting_number = given.texting_number
     join messages t on t.advisor_id = a.advisor_id and t.message_id = given.reference`,
    columnsOf(texts, 'textingNumber', 'reference'),
  );
}

/** The texts to the phone that are held. Spans advisors: a phone texts with anybody. */
export async function listHandsetBacklog(db: Db, phone: string): Promise<HandsetBacklog[]> {
  return db.query(
    `select a.texting_number as "textingNumber", t.held_reason as "heldReason", count(*) as count
     from advisors a
     join members m on m.advisor_id = a.advisor_id and m.phone = $1
     join messages t on t.advisor_id = m.advisor_id and t.member_id = m.member_id
     where a.texting_number is not null and t.kind = 'text' and t.rare_status = 'held'
     group by a.texting_number, t.held_reason`,
    [phone],
  );
}

export async function listHandsets(db: Db, limit: number): Promise<HandsetRow[]> {
  const texts = [...(await listReceived(db)), ...(await listSent(db))];
  const phones = new Map<string, HandsetRow>();
  for (const text of texts.sort((a, b) => b.dateTimeCreated.getTime() - a.dateTimeCreated.getTime()))
    phones.getOrInsert(text.phone, text);
  return [...phones.values()].slice(0, limit);
}

function listReceived(db: Db): Promise<HandsetRow[]> {
  return db.query<HandsetRow>(
    `select phone, text, date_time_created as "dateTimeCreated"
     from handset_messages
     where received
     order by handset_message_id desc
     limit 2000`,
  );
}

/** Spans advisors: a phone texts with anybody. */
function listSent(db: Db): Promise<HandsetRow[]> {
  return forAllAdvisors(db, (db) =>
    db.query<HandsetRow>(
      `select m.phone, convert_from(b.body, 'UTF8') as text, r.date_time_created as "dateTimeCreated"
       from advisors a
       cross join lateral (
         select *
         from replies
         where advisor_id = a.advisor_id
         order by reply_id desc
         limit 200
       ) as r
       join members m on m.advisor_id = r.advisor_id and m.member_id = r.member_id
       left join archive_bodies b on b.advisor_id = r.advisor_id and b.number = r.archive_number`,
    ),
  );
}

export type TextCounts = { sent: number; delivered: number; held: number };

/** Of the texts since then. Spans advisors: they share the sandbox. */
export async function countTexts(db: Db, since: Date): Promise<TextCounts> {
  return db.one<TextCounts>(
    `select
       count(*) filter (where date_time_sent is not null)::integer as sent,
       count(*) filter (where date_time_delivered is not null)::integer as delivered,
       count(*) filter (where status = 'held')::integer as held
     from messages
     where date_time_created >= $1`,
    [since],
  );
}
