import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';
import { memberName } from '../members/members.ts';
import { conditionsOf } from './contact-search.ts';

/** Somebody as one of a firm's advisors knows them. */
export type PersonRow = {
  advisorId: number;
  advisor: string;
  memberId: number;
  phone: string;
  name: string | null;
  state: ConsentState;
  lastChanged: Date;
};

const columns = `
  a.advisor_id as "advisorId", a.name as advisor, m.member_id as "memberId", m.phone, m.state,
  m.last_changed as "lastChanged", ${memberName}`;

/** Those whose contacts have all of the words, by name. Spans advisors: it is about a firm's. */
export async function listPeopleByWords(db: Db, firmId: number, words: string[], limit: number): Promise<PersonRow[]> {
  const values: unknown[] = [firmId, limit];
  const conditions = conditionsOf({ words }, values);
  const text = `
     select ${columns}
     from (
       select a.advisor_id, found.phone
       from advisors a
       cross join lateral (
         select distinct c.phone
         from contacts c
         where c.advisor_id = a.advisor_id and c.phone is not null and ${conditions.join(' and ')}
         limit $2
       ) as found
       where a.firm_id = $1
       limit $2
     ) as known
     join advisors a on a.advisor_id = known.advisor_id
     join members m on m.advisor_id = known.advisor_id and m.phone = known.phone`;
  const found = await forAllAdvisors(db, (db) => db.query<PersonRow>(text, values));
  return found.sort((a, b) => (a.name ?? '\uffff').localeCompare(b.name ?? '\uffff') || a.memberId - b.memberId);
}

/** Those with this id or number, of all advisors of a firm. Spans advisors: it is about a firm's. */
export async function listPeopleBy(
  db: Db,
  firmId: number,
  { memberId, phone }: { memberId: number | null; phone: string | null },
  limit: number,
): Promise<PersonRow[]> {
  const found = await forAllAdvisors(db, (db) =>
    db.query<PersonRow>(
      `select ${columns}
       from advisors a
       join members m on m.advisor_id = a.advisor_id and (m.member_id = $2 or m.phone = $3)
       where a.firm_id = $1
       order by m.member_id
       limit $4`,
      [firmId, memberId, phone, limit],
    ),
  );
  return found.sort((a, b) => a.memberId - b.memberId);
}

export async function findPerson(
  db: Db,
  advisorId: number,
  { firmId, memberId }: { firmId: number; memberId: number },
): Promise<PersonRow | null> {
  return db.find<PersonRow>(
    `select ${columns}
     from members m
     join advisors a on a.advisor_id = m.advisor_id and a.firm_id = $2
     where m.advisor_id = $1 and m.member_id = $3`,
    [advisorId, firmId, memberId],
  );
}
