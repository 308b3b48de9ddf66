import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors, forAllAdvisors } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';
import { oneStep, outcomeEntries } from '../texting/text-outcomes.ts';
import type { MessageKey } from './dispatches.ts';

const hasNoOutcome = `not exists (
           select
           from archive_entries e
           where e.kind = 'outcome' and e.message_id = t.message_id and e.advisor_id = t.advisor_id
         )`;

/** Texts that were handed over in this time, and of which nothing has been heard since. Spans advisors: its job works for all of them. */
export async function listUnreceipted(
  db: Db,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<MessageKey[]> {
  return forAllAdvisors(db, (db) =>
    db.query<MessageKey>(
      `select t.advisor_id as "advisorId", t.message_id as "messageId"
       from messages t
       where t.date_time_sent >= $1 and t.date_time_sent < $2 and t.status = 'sent' and ${hasNoOutcome}
       order by t.message_id
       limit $3`,
      [from, to, limit],
      'list-unreceipted',
    ),
  );
}

/**
 * Archives that these were sent. Partners were told when they were, so it is no event. Another node may do the same: they are locked first,
 * and looked at again by a statement of its own, which sees what the other one has archived. False if it has locked all of them.
 */
export async function archiveUnreceipted(db: Db, texts: MessageKey[], now: Date): Promise<boolean> {
  return db.transaction(async (db) => {
    const locked = await forAdvisors(db, texts, (db, texts) =>
      db.query<MessageKey>(
        `select t.advisor_id as "advisorId", t.message_id as "messageId"
         from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
         join messages t on t.advisor_id = given.advisor_id and t.message_id = given.message_id
         where t.status = 'sent' and ${few('given.message_id')}
         order by t.message_id
         for no key update of t skip locked`,
        columnsOf(texts, 'advisorId', 'messageId'),
      ),
    );
    if (locked.length === 0) return false;
    await forAdvisors(db, locked, (db, locked) =>
      db.write(
        `with unreceipted as (
         select t.advisor_id, t.message_id, t.member_id, null as kind, t.scheduled_message_id, t.archive_number, t.status,
           t.failure_code as reason, t.attempt, t.carrier_id, t.carrier_message_id, t.date_time_sent, 'service' as actor,
           ${oneStep}
         from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
         join messages t on t.advisor_id = given.advisor_id and t.message_id = given.message_id
         where ${hasNoOutcome} and ${few('given.message_id')}
       ),
       ${outcomeEntries('unreceipted', '$3')}
       select`,
        [...columnsOf(locked, 'advisorId', 'messageId'), now],
      ),
    );
    return true;
  });
}
