import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import type { MessageKey } from './dispatches.ts';

/** What the archive has of texts from when they were accepted. */

/** For a `from`: the texts of $1 and $2, each with its entry. */
const acceptances = `
  unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
  cross join lateral (
    select archive_number
    from messages
    where advisor_id = given.advisor_id and message_id = given.message_id
    limit 1
  ) as t
  cross join lateral (
    select trace_id, meta
    from archive_entries
    where advisor_id = given.advisor_id and number = t.archive_number
    limit 1
  ) as e`;

/** The traces that these texts were accepted in. */
export async function listTraceIds(db: Db, texts: MessageKey[]): Promise<{ messageId: number; traceId: string }[]> {
  return forAdvisors(db, texts, (db, texts) =>
    db.query<{ messageId: number; traceId: string }>(
      `select given.message_id as "messageId", e.trace_id as "traceId"
       from ${acceptances}
       where e.trace_id is not null`,
      columnsOf(texts, 'advisorId', 'messageId'),
      'list-trace-ids',
    ),
  );
}

/** Which of these are part of a text to a group. */
export async function listGroupTexts(db: Db, texts: MessageKey[]): Promise<number[]> {
  if (texts.length === 0) return [];
  const rows = await forAdvisors(db, texts, (db, texts) =>
    db.query<{ messageId: number }>(
      `select given.message_id as "messageId"
       from ${acceptances}
       where e.meta::json -> 'broadcastId' is not null`,
      columnsOf(texts, 'advisorId', 'messageId'),
      'list-group-texts',
    ),
  );
  return rows.map(({ messageId }) => messageId);
}
