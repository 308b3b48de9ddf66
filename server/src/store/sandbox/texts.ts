import type { Db } from '../database/db.ts';

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
