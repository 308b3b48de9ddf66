import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors, forAllAdvisors } from '../database/for-advisors.ts';
import { slotOf } from '../members/firm-numbers.ts';
import { type MemberRow, memberColumns, type NewMember, type PhoneOf } from '../members/members.ts';

/** A member, with the advisor who knows it. */
export type FirmMember = MemberRow & { advisorId: number; firmId: number };
type Knowing = { firmIds: number[]; advisorIds: number[] };
/** The domain's rule for phones that have two forms. */
type OtherFormOf = (phone: string) => string | null;

/** The latest stop of a number to an advisor of the firm, with the entry that has its evidence, if it is still kept. */
export type FirmStop = { stopAdvisorId: number; stopAt: Date; stopMeta: string | null; stopBody: string | null };

/**
 * Those of these new members whose number has stopped their firm, if its stops count for all of it, or whose phone has stopped the
 * advisor by its other form.
 */
export async function listStoppedBefore(
  db: Db,
  members: NewMember[],
  otherFormOf: OtherFormOf,
): Promise<(NewMember & FirmStop)[]> {
  const stops = await listLatestStops(db, members, otherFormOf);
  return members.flatMap((member) => {
    const stop = stops.get(keyOf(member));
    return stop ? { ...member, ...stop } : [];
  });
}

/** New members start opted out. */
export async function updateStopped(db: Db, stopped: (NewMember & FirmStop)[], now: Date): Promise<void> {
  await forAdvisors(db, stopped, (db, stopped) =>
    db.write(
      `update members
     set state = 'opted_out', last_changed = $4, stopped_at = given.stopped_at
     from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as given (advisor_id, member_id, stopped_at)
     where members.advisor_id = given.advisor_id and members.member_id = given.member_id`,
      [...columnsOf(stopped, 'advisorId', 'memberId', 'stopAt'), now],
    ),
  );
}

/**
 * The firm's members of one slot who are not opted out although their number has stopped another advisor of the firm,
 * locked. A person who agreed after that stop is not among them. Spans advisors: those of the firm.
 */
export async function lockUnstopped(
  db: Db,
  { firmId, slot }: { firmId: number; slot: number },
  otherFormOf: OtherFormOf,
): Promise<(FirmMember & FirmStop)[]> {
  const stopped = await forAllAdvisors(db, (db) =>
    db.query<{ phone: string }>(
      `select distinct s.phone
       from members s
       join advisors a using (advisor_id)
       where a.firm_id = $1 and s.stopped_at is not null and ${slotOf('s.phone')} = $2`,
      [firmId, slot],
    ),
  );
  const phones = new Set(stopped.flatMap(({ phone }) => [phone, otherFormOf(phone) ?? phone]));
  const members = await lockMembersOf(db, { firmIds: [firmId], advisorIds: [] }, [...phones]);
  const stops = await listLatestStops(db, members, otherFormOf);
  return members.flatMap((member) => {
    const stop = stops.get(keyOf(member));
    if (!stop || member.state === 'opted_out') return [];
    const { arrivedAt, ...evidence } = stop;
    return member.state === 'accepted' && member.lastChanged > arrivedAt ? [] : { ...member, ...evidence };
  });
}

/**
 * Those of these firms' advisors, and of these advisors, who know the numbers, in the order in which all statements lock members. Spans
 * advisors: to the person they are one.
 */
export async function lockMembersOf(db: Db, { firmIds, advisorIds }: Knowing, phones: string[]): Promise<FirmMember[]> {
  if (phones.length === 0) return [];
  const members = await forAllAdvisors(db, (db) =>
    db.query<FirmMember>(
      `select m.advisor_id as "advisorId", a.firm_id as "firmId", ${memberColumns}
       from advisors a
       join members m on m.advisor_id = a.advisor_id and m.phone = any ($3)
       where a.firm_id = any ($1) or a.advisor_id = any ($2)
       order by m.advisor_id, m.phone
       for update of m`,
      [firmIds, advisorIds, phones],
      'lock-firm-members',
    ),
  );
  return members.sort((a, b) => a.advisorId - b.advisorId);
}

type LatestStop = FirmStop & { arrivedAt: Date };

function keyOf({ advisorId, phone }: PhoneOf): string {
  return `${advisorId}:${phone}`;
}

/**
 * The latest stop of each number to another advisor of the firm, where there is one and the firm has that scope, or of the phone's
 * other form to the same advisor, if that is in force. Spans advisors: those of the firm.
 */
async function listLatestStops(db: Db, numbers: PhoneOf[], otherFormOf: OtherFormOf): Promise<Map<string, LatestStop>> {
  const others = numbers.map(({ phone }) => otherFormOf(phone));
  const stops = await forAllAdvisors(db, (db) =>
    db.lookUp<PhoneOf & LatestStop>(
      `select
         m.advisor_id as "advisorId", m.phone, stop.advisor_id as "stopAdvisorId", stop.stopped_at as "stopAt",
         stop.meta as "stopMeta", stop.body as "stopBody", stop.arrived_at as "arrivedAt"
       from unnest($1::bigint[], $2::text[], $3::text[]) as m (advisor_id, phone, other)
       join advisors a on a.advisor_id = m.advisor_id
       join firms f on f.firm_id = a.firm_id
       cross join lateral (
         select
           s.advisor_id, s.stopped_at, e.meta, e.body,
           greatest(s.stopped_at, case when s.state = 'opted_out' then s.last_changed end) as arrived_at
         from members s
         join advisors sa on sa.advisor_id = s.advisor_id and sa.firm_id = a.firm_id
         left join lateral (
           select meta, convert_from(b.body, 'UTF8') as body
           from archive_entries
           left join archive_bodies b using (advisor_id, number)
           where advisor_id = s.advisor_id
             and member_id = s.member_id
             and kind = 'consent'
             and consent_state = 'opted_out'
           order by number desc
           limit 1
         ) as e on true
         where s.phone in (m.phone, m.other)
           and s.stopped_at is not null
           and case
             when s.advisor_id <> m.advisor_id then f.opt_out_scope = 'firm'
             else s.phone = m.other and s.state = 'opted_out'
           end
         order by arrived_at desc, s.advisor_id
         limit 1
       ) as stop
       -- Asked once, so that thousands of members of an import are not gone through where no firm has that scope.
       where m.other is not null or exists (
         select
         from advisors a
         join firms f using (firm_id)
         where a.advisor_id = any ($1) and f.opt_out_scope = 'firm'
       )`,
      [...columnsOf(numbers, 'advisorId', 'phone'), others],
      'list-latest-stops',
    ),
  );
  const latestLast = stops.sort(
    (a, b) => a.arrivedAt.getTime() - b.arrivedAt.getTime() || b.stopAdvisorId - a.stopAdvisorId,
  );
  return new Map(latestLast.map(({ advisorId, phone, ...stop }) => [keyOf({ advisorId, phone }), stop]));
}
