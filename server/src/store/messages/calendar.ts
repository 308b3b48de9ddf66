import type { Db } from '../database/db.ts';
import { phoneOf, type ScheduledMessageRow } from './scheduled-messages.ts';

export type CalendarRow = Omit<ScheduledMessageRow, 'status' | 'reason'> & { name: string | null };

/** What is scheduled and may be due in that time: everything that repeats and has begun by its end. */
export async function listCalendar(
  db: Db,
  advisorId: number,
  { from, until, limit }: { from: Date; until: Date; limit: number },
): Promise<CalendarRow[]> {
  return db.query<CalendarRow>(
    `select
       scheduled_message_id as "scheduledMessageId", member_id as "memberId", phone, text, first_date as "firstDate",
       time_zone as "timeZone", frequency, delivery_date as "deliveryDate",
       (
         select nullif(full_name, c.phone)
         from contacts c
         where c.advisor_id = $1 and c.phone = due.phone
         order by contact_id
         limit 1
       ) as name
     from (
       select s.*, ${phoneOf('s')} as phone
       from scheduled_messages s
       where s.advisor_id = $1 and s.status = 'scheduled' and s.delivery_date < $3
         and (s.delivery_date >= $2 or s.frequency <> 0)
       order by s.delivery_date, s.scheduled_message_id
       limit $4
     ) as due
     order by delivery_date, scheduled_message_id`,
    [advisorId, from, until, limit],
    'list-calendar',
  );
}
