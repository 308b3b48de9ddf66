import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import type { HeldReason } from '../texting/texts.ts';
import type { EntrySpan } from './archive.ts';

/** The last entry of an advisor's archive. */
export type Head = { advisorId: number; lastNumber: number };
/** A text or a change of consent, and whose it is. */
export type TextRow = {
  advisorId: number;
  advisorName: string;
  number: number;
  kind: 'text_out' | 'text_in' | 'consent';
  /** Null if the entry is not about a person. */
  phone: string | null;
  /** Why the text is held now; null if it isn't. */
  heldReason: HeldReason | null;
  meta: string;
  /** Null once it is no longer kept. */
  body: string | null;
  dateTimeCreated: Date;
};

// By time, but each advisor's by number, so that one transaction's entries stay together whenever it began.
const textOrder = 'max(e.date_time_created) over (partition by e.advisor_id order by e.number)';
const textColumns = `
  extract(epoch from ${textOrder}) * 1000000 as micros, e.advisor_id as "advisorId", a.name as "advisorName", e.number, e.kind, m.phone, t.held_reason as "heldReason", e.meta,
  convert_from(b.body, 'UTF8') as body, e.date_time_created as "dateTimeCreated"`;
const textJoins = `
  join advisors a on a.advisor_id = e.advisor_id
  left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id
  left join messages t on t.advisor_id = e.advisor_id and t.message_id = e.message_id and e.kind = 'text_out'
  left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number`;

/** The oldest first. */
function inOrder(rows: (TextRow & { micros: string })[]): TextRow[] {
  return rows
    .map(({ micros, ...row }) => ({ row, at: Number(micros) }))
    .sort((a, b) => a.at - b.at || a.row.advisorId - b.row.advisorId || a.row.number - b.row.number)
    .map(({ row }) => row);
}

/**
 * One advisor's, or all. Every entry up to a head is committed: its transaction locks the head until then. Spans advisors: an
 * operator may follow all of them.
 */
export async function listHeads(db: Db, advisorId: number | null): Promise<Head[]> {
  return db.query<Head>(
    `select advisor_id as "advisorId", last_number as "lastNumber"
     from archive_heads
     where $1::bigint is null or advisor_id = $1`,
    [advisorId],
    'list-heads',
  );
}

/** The last texts and changes of consent up to these heads, oldest first. */
export async function listLastTexts(db: Db, heads: Head[], limit: number): Promise<TextRow[]> {
  const rows = await forAdvisors(db, heads, (db, heads) =>
    db.query<TextRow & { micros: string }>(
      `select ${textColumns}
       from unnest($1::bigint[], $2::bigint[]) as head (advisor_id, last_number)
       cross join lateral (
         select *
         from archive_entries
         where advisor_id = head.advisor_id
           and number <= head.last_number
           and kind in ('text_out', 'text_in', 'consent')
         order by number desc
         limit $3
       ) as e
       ${textJoins}
       order by ${textOrder} desc, e.advisor_id desc, e.number desc
       limit $3`,
      [...columnsOf(heads, 'advisorId', 'lastNumber'), limit],
    ),
  );
  return inOrder(rows).slice(-limit);
}

/** The texts and changes of consent in these spans, oldest first. */
export async function listTexts(db: Db, spans: EntrySpan[]): Promise<TextRow[]> {
  const rows = await forAdvisors(db, spans, (db, spans) =>
    db.query<TextRow & { micros: string }>(
      `select ${textColumns}
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as span (advisor_id, after, up_to)
       join archive_entries e on e.advisor_id = span.advisor_id and e.number > after and e.number <= up_to
       ${textJoins}
       where e.kind in ('text_out', 'text_in', 'consent')`,
      columnsOf(spans, 'advisorId', 'after', 'upTo'),
      'list-texts',
    ),
  );
  return inOrder(rows);
}
