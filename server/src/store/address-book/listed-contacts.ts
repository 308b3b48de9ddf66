import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';

/** What the advisor's app shows of a number beside its contact. */
export type Texting = { phone: string; state: ConsentState; isHeld: boolean; lastText: Date | null };

export async function listTexting(db: Db, advisorId: number, phones: string[]): Promise<Texting[]> {
  if (phones.length === 0) return [];
  const latest = (from: string) => `(
         select l.date_time_created
         from ${from} and l.member_id = m.member_id
         order by l.date_time_created desc
         limit 1
       )`;
  return db.query<Texting>(
    `select
       m.phone, m.state, m.held_since is not null as "isHeld",
       greatest(
         ${latest(`messages l where l.advisor_id = $1 and l.kind = 'text'`)},
         ${latest(`messages l where l.advisor_id = $1 and l.kind <> 'text'`)},
         ${latest('replies l where l.advisor_id = $1')}
       ) as "lastText"
     from members m
     where m.advisor_id = $1 and m.phone = any ($2)`,
    [advisorId, phones],
  );
}

/** How many contacts there are in each state but for these. Those without a phone have none. */
export async function countByConsent(db: Db, advisorId: number, without: number[]) {
  return db.query<{ state: ConsentState; count: number }>(
    `with known as (
       select m.state, count(*) as count
       from members m
       join contacts c on c.advisor_id = m.advisor_id and c.phone = m.phone
       where m.advisor_id = $1 and m.state <> 'none'
       group by m.state
     ),
     everybody as (
       select state, count
       from known
       union all
       select 'none', (
         select count(*)
         from contacts
         where advisor_id = $1 and phone is not null
       ) - coalesce((select sum(count) from known), 0)::bigint
     ),
     leaving as (
       select coalesce(m.state, 'none') as state, count(*) as count
       from contacts c
       left join members m on m.advisor_id = c.advisor_id and m.phone = c.phone
       where c.advisor_id = $1 and c.phone is not null and c.contact_id = any ($2)
       group by 1
     )
     select state, everybody.count - coalesce(leaving.count, 0) as count
     from everybody
     left join leaving using (state)`,
    [advisorId, without],
    'count-by-consent',
  );
}
