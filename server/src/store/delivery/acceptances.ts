import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import type { MessageKey } from './dispatches.ts';

/** The traces that these texts were accepted in, which their entries have. */
export async function listTraceIds(db: Db, texts: MessageKey[]): Promise<{ messageId: number; traceId: string }[]> {
  return forAdvisors(db, texts, (db, texts) =>
    db.query<{ messageId: number; traceId: string }>(
      `select given.message_id as "messageId", e.trace_id as "traceId"
       from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
       cross join lateral (
         select archive_number
         from messages
         where advisor_id = given.advisor_id and message_id = given.message_id
         limit 1
       ) as t
       cross join lateral (
         select trace_id
         from archive_entries
         where advisor_id = given.advisor_id and number = t.archive_number
         limit 1
       ) as e
       where e.trace_id is not null`,
      columnsOf(texts, 'advisorId', 'messageId'),
      'list-trace-ids',
    ),
  );
}
