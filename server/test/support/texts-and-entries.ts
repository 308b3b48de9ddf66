import { whatBecame } from '../../src/store/texting/archived-outcomes.ts';
import type { World } from './world.ts';

/** The texts whose rows are not what their entries and outcomes say: none, if everything that changes a text also archives it. */
export async function textsUnlikeEntries({ database }: Pick<World, 'database'>): Promise<number[]> {
  const rows = await database.asOwner<{ messageId: string }>(
    `select t.message_id as "messageId"
     from messages t
     left join archive_entries e
       on e.advisor_id = t.advisor_id and e.number = t.archive_number and e.kind = 'text_out'
       and e.message_id = t.message_id and e.member_id = t.member_id
     ${whatBecame}
     where e.number is null
       or (e.date_time_created, became.status, became.failure_code, became.handed_over, became.ended)
         is distinct from (t.date_time_created, t.status, t.failure_code, t.date_time_sent, t.date_time_ended)`,
  );
  return rows.map(({ messageId }) => Number(messageId));
}
