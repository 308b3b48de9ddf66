import type { Db } from '../database/db.ts';
import { collectByShard } from '../database/distribution/by-shard.ts';
import { firmNumberKey } from './firm-numbers.ts';

type PhoneOf = { advisorId: number; phone: string };
type NewMember = PhoneOf & { memberId: number };
type Missing = PhoneOf & { firmId: number };

/** Those of the numbers in $1 that their advisors don't know, with the firm; none for an advisor who doesn't exist. */
export const missingMembers = `
       select distinct given.advisor_id, given.phone, a.firm_id
       from json_to_recordset($1) as given (advisor_id bigint, phone text)
       left join advisors a on a.advisor_id = given.advisor_id
       where not exists (
         select
         from members m
         where m.advisor_id = given.advisor_id and m.phone = given.phone
       )`;

export function jsonOf(numbers: PhoneOf[]): string {
  return JSON.stringify(numbers.map(({ advisorId, phone }) => ({ advisor_id: advisorId, phone })));
}

/**
 * New members where the database is distributed: the coordinator has the locks on the numbers of firms, and draws the ids. So
 * the members that are missing are found first, and inserted on their shards under the locks.
 */
export async function insertOnShards(db: Db, numbers: PhoneOf[], now: Date): Promise<NewMember[]> {
  const missing = await collectByShard(db, numbers, (db, numbers) =>
    db.query<Missing>(
      `select advisor_id as "advisorId", phone, firm_id as "firmId"
       from (${missingMembers}) as missing
       where firm_id is not null`,
      [jsonOf(numbers)],
      'list-missing-members',
    ),
  );
  if (missing.length === 0) return [];
  const ids = await lockAndDraw(db, missing);
  const members = missing.map((number, index) => ({ ...number, memberId: ids[index] as number }));
  return collectByShard(db, members, (db, members) =>
    db.query<NewMember>(
      `insert into members (advisor_id, member_id, phone, last_changed, date_time_created)
       overriding system value
       select advisor_id, member_id, phone, $4::timestamptz, $4::timestamptz
       from unnest($1::bigint[], $2::bigint[], $3::text[]) as given (advisor_id, member_id, phone)
       order by advisor_id, phone
       on conflict (advisor_id, phone) do nothing
       returning advisor_id as "advisorId", member_id as "memberId", phone`,
      [
        members.map(({ advisorId }) => advisorId),
        members.map(({ memberId }) => memberId),
        members.map(({ phone }) => phone),
        now,
      ],
      'insert-members-on-shard',
    ),
  );
}

async function lockAndDraw(db: Db, missing: Missing[]): Promise<number[]> {
  const rows = await db.query<{ memberId: number }>(
    `with locked as materialized (
       select pg_advisory_xact_lock_shared(key) is null as is_locked
       from (
         select distinct ${firmNumberKey('firm_id', 'phone')} as key
         from unnest($1::bigint[], $2::text[]) as missing (firm_id, phone)
         order by key
       ) as keys
     )
     select nextval(pg_get_serial_sequence('members', 'member_id')) as "memberId"
     from unnest($2::text[])
     where (select count(*) from locked) >= 0`,
    [missing.map(({ firmId }) => firmId), missing.map(({ phone }) => phone)],
    'draw-member-ids',
  );
  return rows.map(({ memberId }) => memberId);
}
