import type { Db } from '../database/db.ts';
import { forEachShard } from '../database/distribution/by-shard.ts';
import { slotOf } from '../members/firm-numbers.ts';
import { type MemberRow, memberColumns, type NewMember } from '../members/members.ts';
import { listStoppedMembers, lockMembersOfFirm, lockUnstoppedMembers } from './firm-stops.ts';

/** A member, with the advisor who knows it. */
export type FirmMember = MemberRow & { advisorId: number };

/** The latest stop of a number to an advisor of the firm, with the entry that has its evidence, if it is still kept. */
export type FirmStop = { stopAdvisorId: number; stopAt: Date; stopMeta: string | null; stopBody: string | null };

const stopColumns = `
  stop.advisor_id as "stopAdvisorId", stop.stopped_at as "stopAt", stop.meta as "stopMeta", stop.body as "stopBody"`;

/** A lateral join: `stop` is the latest stop of the number to another advisor of the firm, where there is one. */
const latestStop = (of: { firmId: string; advisorId: string; phone: string }) => `
  cross join lateral (
    select
      s.advisor_id, s.stopped_at, e.meta, e.body,
      greatest(s.stopped_at, case when s.state = 'opted_out' then s.last_changed end) as arrived_at
    from members s
    join advisors sa on sa.advisor_id = s.advisor_id and sa.firm_id = ${of.firmId}
    left join lateral (
      select meta, convert_from(b.body, 'UTF8') as body
      from archive_entries
      left join archive_bodies b using (advisor_id, number)
      where advisor_id = s.advisor_id
        and member_id = s.member_id
        and kind = 'consent'
        and meta::json ->> 'to' = 'opted_out'
      order by number desc
      limit 1
    ) as e on true
    where s.phone = ${of.phone} and s.stopped_at is not null and s.advisor_id <> ${of.advisorId}
    order by arrived_at desc, s.advisor_id
    limit 1
  ) as stop`;

/** Everybody in the firm who knows the number, locked in the usual order. Spans advisors: those of the firm. */
export async function lockFirmMembers(db: Db, firmId: number, phone: string): Promise<FirmMember[]> {
  if (await db.isDistributed()) return lockMembersOfFirm(db, firmId, phone);
  return db.query<FirmMember>(
    `select m.advisor_id as "advisorId", ${memberColumns}
     from advisors a
     join members m on m.advisor_id = a.advisor_id and m.phone = $2
     where a.firm_id = $1
     order by m.advisor_id
     for update of m`,
    [firmId, phone],
    'lock-firm-members',
  );
}

/**
 * Those of these new members whose number has stopped their firm. In other firms a stop counts for one advisor. Spans advisors:
 * those of the firm.
 */
export async function listStoppedBefore(db: Db, members: NewMember[]): Promise<(NewMember & FirmStop)[]> {
  const isDistributed = db.isDistributed();
  if (isDistributed !== false && (await isDistributed)) return listStoppedMembers(db, members);
  return db.query<NewMember & FirmStop>(
    `select m.advisor_id as "advisorId", m.member_id as "memberId", m.phone, ${stopColumns}
     from unnest($1::bigint[], $2::bigint[], $3::text[]) as m (advisor_id, member_id, phone)
     join advisors a on a.advisor_id = m.advisor_id
     join firms f on f.firm_id = a.firm_id and f.opt_out_scope = 'firm'
     ${latestStop({ firmId: 'a.firm_id', advisorId: 'm.advisor_id', phone: 'm.phone' })}
     -- Asked once, so that thousands of members of an import are not gone through where no firm has that scope.
     where exists (
       select
       from advisors a
       join firms f using (firm_id)
       where a.advisor_id = any ($1) and f.opt_out_scope = 'firm'
     )
     order by m.advisor_id, m.phone`,
    [
      members.map(({ advisorId }) => advisorId),
      members.map(({ memberId }) => memberId),
      members.map(({ phone }) => phone),
    ],
    'list-stopped-before',
  );
}

/** New members start opted out. */
export async function updateStopped(db: Db, stopped: (NewMember & FirmStop)[], now: Date): Promise<void> {
  await forEachShard(db, stopped, (db, stopped) =>
    db.write(
      `update members
     set state = 'opted_out', last_changed = $4, stopped_at = given.stopped_at
     from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as given (advisor_id, member_id, stopped_at)
     where members.advisor_id = given.advisor_id and members.member_id = given.member_id`,
      [
        stopped.map(({ advisorId }) => advisorId),
        stopped.map(({ memberId }) => memberId),
        stopped.map(({ stopAt }) => stopAt),
        now,
      ],
    ),
  );
}

/**
 * The firm's members of one slot who are not opted out although their number has stopped another advisor of the firm,
 * locked. A person who agreed after that stop is not among them. Spans advisors: those of the firm.
 */
export async function lockUnstopped(db: Db, firmId: number, slot: number): Promise<(FirmMember & FirmStop)[]> {
  if (await db.isDistributed()) return lockUnstoppedMembers(db, firmId, slot);
  return db.query<FirmMember & FirmStop>(
    `with stopped as materialized (
       select distinct s.phone
       from members s
       join advisors sa using (advisor_id)
       where sa.firm_id = $1 and s.stopped_at is not null and ${slotOf('s.phone')} = $2
     )
     select m.advisor_id as "advisorId", ${memberColumns}, ${stopColumns}
     from stopped
     join advisors a on a.firm_id = $1
     join members m on m.advisor_id = a.advisor_id and m.phone = stopped.phone
     ${latestStop({ firmId: 'a.firm_id', advisorId: 'm.advisor_id', phone: 'm.phone' })}
     where m.state <> 'opted_out' and not (m.state = 'accepted' and m.last_changed > stop.arrived_at)
     order by m.advisor_id, m.phone
     for update of m`,
    [firmId, slot],
  );
}
