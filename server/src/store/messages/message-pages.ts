import type { Db } from '../database/db.ts';
import { type MessageRow, type MessageStatus, messageColumns } from './messages.ts';
import { phoneOf } from './scheduled-messages.ts';

/** Which texts to list; if several are given, all apply. */
export type MessageFilter = {
  phone?: string;
  memberId?: number;
  scheduledMessageId?: number;
  status?: MessageStatus;
  createdSince?: Date;
};

/** A condition for each filter, with the number of its parameter. */
const conditions: Record<keyof MessageFilter, (parameter: string) => string> = {
  phone: (parameter) =>
    `member_id = (select m.member_id from members m where m.advisor_id = $1 and m.phone = ${parameter})`,
  memberId: (parameter) => `member_id = ${parameter}`,
  scheduledMessageId: (parameter) => `scheduled_message_id = ${parameter}`,
  status: (parameter) => `status = ${parameter}`,
  createdSince: (parameter) => `date_time_created >= ${parameter}`,
};
const names = Object.keys(conditions) as (keyof MessageFilter)[];

/** What the column `rare_status` has, and the index messages_troubled. */
const rareStatuses: readonly MessageStatus[] = ['undelivered', 'failed', 'in_doubt', 'held', 'awaiting_consent'];

/** All texts: those that were counted before, and the later ones. */
const allTexts = `
  select coalesce(counted.texts, 0) + later.texts as total, later.texts as uncounted
  from (values ($1::bigint)) as given (advisor_id)
  left join text_counts counted on counted.advisor_id = given.advisor_id
  cross join lateral (
    select count(*) as texts
    from messages
    where advisor_id = $1 and kind = 'text' and date_time_created > coalesce(counted.up_to, '-infinity')
  ) as later`;

/**
 * A page of an advisor's texts, newest first, and how many there are. Its keys come from an index alone, in order, and only
 * its own rows are then read. At a million texts, the first page of all of them, and of a person's, a schedule's or recent ones,
 * takes 2 ms; a status that most of them have takes longer: its rows are read to count it. `uncounted` says how many of the total were counted now,
 * if `updateTextCount` can help.
 */
export async function listMessages(
  db: Db,
  advisorId: number,
  filter: MessageFilter,
  { offset, limit }: { offset: bigint; limit: number },
): Promise<{ total: number; uncounted: number; messages: MessageRow[] }> {
  const given = names.filter((name) => filter[name] !== undefined);
  const isRare = filter.status !== undefined && rareStatuses.includes(filter.status);
  const filters = given.map((name, index) => {
    const condition = conditions[name](`$${index + 4}`);
    return name === 'status' && isRare ? `and rare_${condition}` : `and ${condition}`;
  });
  const texts = `from messages where advisor_id = $1 and kind = 'text' ${filters.join(' ')}`;
  const total = given.length === 0 ? allTexts : `select count(*) as total, 0 as uncounted ${texts}`;
  const rows = await db.query<{ total: number; uncounted: number } & MessageRow>(
    `select total, uncounted, ${messageColumns(phoneOf('t'))}
     from (${total}) as totals
     left join (
       select advisor_id, message_id, date_time_created
       ${texts}
       order by date_time_created desc, message_id desc
       offset $2
       limit $3
     ) as page on true
     left join messages t on t.advisor_id = page.advisor_id and t.message_id = page.message_id
     order by page.date_time_created desc, page.message_id desc`,
    [advisorId, offset, limit, ...given.map((name) => filter[name])],
    `list-messages-${names.map((name) => Number(given.includes(name))).join('')}${isRare ? '-rare' : ''}`,
  );
  const [{ total: found, uncounted } = { total: 0, uncounted: 0 }] = rows;
  return { total: found, uncounted, messages: rows.filter(({ messageId }) => messageId !== null) };
}

/** Counts the texts up to a time for later, if they are at least `atLeast` more than those that were counted before. */
export async function updateTextCount(
  db: Db,
  advisorId: number,
  { upTo, atLeast }: { upTo: Date; atLeast: number },
): Promise<void> {
  await db.query(
    `insert into text_counts (advisor_id, up_to, texts)
     select advisor_id, $2, count(*) + coalesce((select texts from text_counts where advisor_id = $1), 0)
     from messages
     where advisor_id = $1
       and kind = 'text'
       and date_time_created > coalesce((select up_to from text_counts where advisor_id = $1), '-infinity')
       and date_time_created <= $2
     group by advisor_id
     having count(*) >= $3
     on conflict (advisor_id) do update
     set up_to = excluded.up_to, texts = excluded.texts
     where text_counts.up_to < excluded.up_to`,
    [advisorId, upTo, atLeast],
    'update-text-count',
  );
}
