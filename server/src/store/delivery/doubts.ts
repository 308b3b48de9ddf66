import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';
import type { TextKind } from '../texting/texts.ts';
import type { MessageKey } from './dispatches.ts';

/** A text in doubt, with everything that may help a carrier to recognize it. */
type DoubtRow = MessageKey & {
  memberId: number;
  attempt: number;
  from: string;
  to: string;
  text: string;
  kind: TextKind;
  submittedAt: Date;
};

/**
 * A carrier's texts in doubt since a time, the newest first. `from` is the number that the advisor had then: if the
 * text waited while it changed, that is another one than its entry's. Spans advisors: a carrier has texts of many.
 */
export async function listDoubts(
  db: Db,
  { carrierId, since, limit }: { carrierId: number; since: Date; limit: number },
): Promise<DoubtRow[]> {
  return db.query<DoubtRow>(
    `select
       t.advisor_id as "advisorId", t.message_id as "messageId", t.member_id as "memberId", t.attempt,
       coalesce(earlier.number, o.texting_number, e.meta::json ->> 'from') as "from",
       m.phone as "to", convert_from(b.body, 'UTF8') as text, t.kind, a.date_time_started as "submittedAt"
     from messages t
     join advisors o using (advisor_id)
     join members m using (advisor_id, member_id)
     join attempts a on a.advisor_id = t.advisor_id and a.message_id = t.message_id and a.attempt = t.attempt
     join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
     join archive_bodies b on b.advisor_id = t.advisor_id and b.number = t.archive_number
     left join lateral (
       select number
       from earlier_numbers
       where advisor_id = t.advisor_id and left_at > a.date_time_started
       order by left_at
       limit 1
     ) as earlier on true
     where t.carrier_id = $1 and t.rare_status = 'in_doubt' and a.date_time_started >= $2
     order by t.message_id desc
     limit $3`,
    [carrierId, since, limit],
  );
}

/** Those of these texts that are still in doubt. */
export async function listStillDoubtful(db: Db, texts: MessageKey[]): Promise<number[]> {
  const rows = await forAdvisors(db, texts, (db, texts) =>
    db.query<{ messageId: number }>(
      `select given.message_id as "messageId"
     from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
     join messages t on t.advisor_id = given.advisor_id and t.message_id = given.message_id
     where t.status = 'in_doubt' and ${few('given.message_id')}`,
      columnsOf(texts, 'advisorId', 'messageId'),
    ),
  );
  return rows.map(({ messageId }) => messageId);
}

/** A text in doubt as an operator sees it: everything but the text. */
type ListedDoubt = MessageKey & {
  advisorName: string;
  firmName: string;
  attempt: number;
  carrierId: number | null;
  carrier: string | null;
  /** The last four digits. */
  phoneEnd: string;
  kind: TextKind;
  code: string | null;
  submittedAt: Date;
};

/** The newest first, from a message on. Spans advisors: an operator settles what is in doubt anywhere. */
export async function listAllDoubts(
  db: Db,
  { before, limit }: { before: number | null; limit: number },
): Promise<ListedDoubt[]> {
  return db.query<ListedDoubt>(
    `${listedDoubts}
     where t.rare_status = 'in_doubt' and ($1::bigint is null or t.message_id < $1)
     order by t.message_id desc
     limit $2`,
    [before, limit],
  );
}

/** The same for one of them; null if it isn't in doubt any more. Locked, so that it is settled once. */
export async function findDoubtForUpdate(db: Db, advisorId: number, messageId: number): Promise<ListedDoubt | null> {
  return db.find<ListedDoubt>(
    `${listedDoubts}
     where t.advisor_id = $1 and t.message_id = $2 and t.rare_status = 'in_doubt'
     for update of t`,
    [advisorId, messageId],
  );
}

const listedDoubts = `
  select
    t.advisor_id as "advisorId", t.message_id as "messageId", t.attempt, t.kind, t.carrier_id::integer as "carrierId",
    c.name as carrier, v.name as "advisorName", f.name as "firmName", right(m.phone, 4) as "phoneEnd",
    a.code, a.date_time_started as "submittedAt"
  from messages t
  join advisors v on v.advisor_id = t.advisor_id
  join firms f on f.firm_id = v.firm_id
  join members m on m.advisor_id = t.advisor_id and m.member_id = t.member_id
  join attempts a on a.advisor_id = t.advisor_id and a.message_id = t.message_id and a.attempt = t.attempt
  left join carriers c on c.carrier_id = t.carrier_id`;

/** The text itself, while it is in doubt; null if it isn't, or isn't kept any more. */
export async function findDoubtfulText(db: Db, advisorId: number, messageId: number) {
  return db.find<{ text: string; memberId: number; phone: string }>(
    `select convert_from(b.body, 'UTF8') as text, t.member_id as "memberId", m.phone
     from messages t
     join members m using (advisor_id, member_id)
     join archive_bodies b on b.advisor_id = t.advisor_id and b.number = t.archive_number
     where t.advisor_id = $1 and t.message_id = $2 and t.rare_status = 'in_doubt'`,
    [advisorId, messageId],
  );
}
