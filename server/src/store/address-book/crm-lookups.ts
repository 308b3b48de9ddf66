import type { Db, Due } from '../database/db.ts';
import { takeDue } from '../database/for-advisors.ts';

export type CrmLookup = { advisorId: number; phone: string; failures: number };

/** Queues numbers to look up, if the advisor has a CRM. */
export async function insertCrmLookups(db: Db, advisorId: number, phones: string[], realNow: Date): Promise<void> {
  await db.query(
    `insert into crm_lookups (advisor_id, phone, not_before)
     select advisor_id, phone, $3
     from crm_connections, unnest($2::text[]) as phone
     where advisor_id = $1
     on conflict (advisor_id, phone) do update
     set failures = 0, not_before = excluded.not_before`,
    [advisorId, phones, realNow],
    'insert-crm-lookups',
  );
}

/** Claims a batch of due lookups, a few per advisor, so one slow CRM doesn't hold up the others. Spans advisors: its job works for all of them. */
export async function claimCrmLookups(
  db: Db,
  { realNow, until, limit, eachMax }: { realNow: Date; until: Date; limit: number; eachMax: number },
): Promise<CrmLookup[]> {
  const due: Due = [
    'select from crm_lookups where not_before <= $1 and (leased_until is null or leased_until < $1) limit 1',
    [realNow],
    'has-crm-lookups',
  ];
  const { rows } = await takeDue(db, due, (db) =>
    db.query<CrmLookup>(
      `update crm_lookups l
     set leased_until = $2
     from (
       select advisor_id, phone
       from crm_connections c
       cross join lateral (
         select phone
         from crm_lookups
         where advisor_id = c.advisor_id and not_before <= $1 and (leased_until is null or leased_until < $1)
         order by not_before
         limit $4
         for update skip locked
       ) as ready
       where lookups_after <= $1
       limit $3
     ) as claimed
     where l.advisor_id = claimed.advisor_id and l.phone = claimed.phone
     returning l.advisor_id as "advisorId", l.phone, l.failures`,
      [realNow, until, limit, eachMax],
      'claim-crm-lookups',
    ),
  );
  return rows;
}

export async function deleteCrmLookup(db: Db, { advisorId, phone }: CrmLookup): Promise<void> {
  await db.query('delete from crm_lookups where advisor_id = $1 and phone = $2', [advisorId, phone]);
}

/** Schedules a retry, and has the advisor's other lookups wait as well. */
export async function updateFailedLookup(
  db: Db,
  { advisorId, phone }: CrmLookup,
  { fault, again }: { fault: string; again: Date },
): Promise<void> {
  await db.query(
    `update crm_lookups
     set failures = failures + 1, not_before = $3, leased_until = null
     where advisor_id = $1 and phone = $2`,
    [advisorId, phone, again],
  );
  await db.query(
    `update crm_connections
     set lookups_after = greatest(lookups_after, $2), lookup_fault = $3
     where advisor_id = $1`,
    [advisorId, again, fault],
  );
}

/** Gives up the claim, so any node may take the lookup. */
export async function updateReleasedLookup(db: Db, { advisorId, phone }: CrmLookup): Promise<void> {
  await db.query('update crm_lookups set leased_until = null where advisor_id = $1 and phone = $2', [advisorId, phone]);
}

export async function updateAnsweringCrm(db: Db, advisorId: number): Promise<void> {
  await db.query(
    `update crm_connections
     set lookup_fault = null
     where advisor_id = $1 and lookup_fault is not null`,
    [advisorId],
  );
}
