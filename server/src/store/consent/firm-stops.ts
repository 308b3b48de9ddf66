import type { Db } from '../database/db.ts';
import { collectByShard } from '../database/distribution/by-shard.ts';
import { slotOf } from '../members/firm-numbers.ts';
import { type MemberRow, memberColumns, type NewMember } from '../members/members.ts';

type FirmMember = MemberRow & { advisorId: number };
type FirmStop = { stopAdvisorId: number; stopAt: Date; stopMeta: string | null; stopBody: string | null };

/**
 * Stops of a whole firm where the database is distributed: all nodes are asked who knows a number, and then each member is
 * locked on the node of its advisor. The firm's number is locked before, so nobody else gets to know it meanwhile.
 */

type Stop = { advisorId: number; memberId: number; phone: string; stoppedAt: Date; arrivedAt: Date };

export async function lockMembersOfFirm(db: Db, firmId: number, phone: string): Promise<FirmMember[]> {
  const known = await listKnowing(db, firmId, [phone]);
  return lockEach(db, known);
}

export async function listStoppedMembers(db: Db, members: NewMember[]): Promise<(NewMember & FirmStop)[]> {
  const advisors = await db.query<{ advisorId: number; firmId: number }>(
    `select a.advisor_id as "advisorId", a.firm_id as "firmId"
     from advisors a
     join firms f using (firm_id)
     where a.advisor_id = any ($1) and f.opt_out_scope = 'firm'`,
    [members.map(({ advisorId }) => advisorId)],
  );
  const firms = new Map(advisors.map(({ advisorId, firmId }) => [advisorId, firmId]));
  const ordered = members
    .filter(({ advisorId }) => firms.has(advisorId))
    .sort((a, b) => a.advisorId - b.advisorId || (a.phone < b.phone ? -1 : 1));
  const found: (NewMember & FirmStop)[] = [];
  for (const [firmId, own] of Map.groupBy(ordered, ({ advisorId }) => firms.get(advisorId) as number))
    found.push(...(await withStops(db, firmId, own)));
  return found;
}

export async function lockUnstoppedMembers(db: Db, firmId: number, slot: number): Promise<(FirmMember & FirmStop)[]> {
  const phones = await listStoppedPhones(db, firmId, slot);
  const members = await lockEach(db, await listKnowing(db, firmId, phones));
  const open = members.filter(({ state }) => state !== 'opted_out');
  const stopped = await withStops(db, firmId, open);
  // A person who agreed after that stop is not among them.
  return stopped
    .filter(({ state, lastChanged, arrivedAt }) => !(state === 'accepted' && lastChanged > arrivedAt))
    .map(({ arrivedAt: _, ...member }) => member as FirmMember & FirmStop);
}

/** Spans advisors: those of the firm who know the numbers. */
async function listKnowing(db: Db, firmId: number, phones: string[]): Promise<{ advisorId: number; phone: string }[]> {
  return db.query(
    `select m.advisor_id as "advisorId", m.phone
     from members m
     join advisors a on a.advisor_id = m.advisor_id
     where a.firm_id = $1 and m.phone = any ($2)
     order by m.advisor_id, m.phone`,
    [firmId, phones],
  );
}

/** In the order in which all statements lock members. */
async function lockEach(db: Db, known: { advisorId: number; phone: string }[]): Promise<FirmMember[]> {
  const locked = await collectByShard(db, known, (db, known) =>
    db.query<FirmMember>(
      `select m.advisor_id as "advisorId", ${memberColumns}
       from unnest($1::bigint[], $2::text[]) as given (advisor_id, phone)
       join members m on m.advisor_id = given.advisor_id and m.phone = given.phone
       order by m.advisor_id, m.phone
       for update of m`,
      [known.map(({ advisorId }) => advisorId), known.map(({ phone }) => phone)],
      'lock-each-member',
    ),
  );
  return locked.sort((a, b) => a.advisorId - b.advisorId || (a.phone < b.phone ? -1 : 1));
}

/** Those of these members whose number has stopped another advisor of the firm, with the latest such stop. */
async function withStops<Member extends { advisorId: number; phone: string }>(
  db: Db,
  firmId: number,
  members: Member[],
): Promise<(Member & FirmStop & { arrivedAt: Date })[]> {
  if (members.length === 0) return [];
  const phones = [...new Set(members.map(({ phone }) => phone))];
  const byPhone = Map.groupBy(await listStops(db, firmId, phones), ({ phone }) => phone);
  const found: (Member & FirmStop & { arrivedAt: Date })[] = [];
  for (const member of members) {
    const stop = byPhone.get(member.phone)?.find(({ advisorId }) => advisorId !== member.advisorId);
    if (!stop) continue;
    const evidence = await findEvidence(db, stop.advisorId, stop.memberId);
    const { advisorId: stopAdvisorId, stoppedAt: stopAt, arrivedAt } = stop;
    found.push({ ...member, stopAdvisorId, stopAt, arrivedAt, ...evidence });
  }
  return found;
}

/** The latest first. Spans advisors: a stop to any advisor of the firm counts. */
async function listStops(db: Db, firmId: number, phones: string[]): Promise<Stop[]> {
  return db.query(
    `select
       s.advisor_id as "advisorId", s.member_id as "memberId", s.phone, s.stopped_at as "stoppedAt",
       greatest(s.stopped_at, case when s.state = 'opted_out' then s.last_changed end) as "arrivedAt"
     from members s
     join advisors a on a.advisor_id = s.advisor_id
     where a.firm_id = $1 and s.phone = any ($2) and s.stopped_at is not null
     order by "arrivedAt" desc, s.advisor_id`,
    [firmId, phones],
  );
}

/** Spans advisors: numbers that have stopped any advisor of the firm. */
async function listStoppedPhones(db: Db, firmId: number, slot: number): Promise<string[]> {
  const rows = await db.query<{ phone: string }>(
    `select distinct s.phone
     from members s
     join advisors a on a.advisor_id = s.advisor_id
     where a.firm_id = $1 and s.stopped_at is not null and ${slotOf('s.phone')} = $2`,
    [firmId, slot],
  );
  return rows.map(({ phone }) => phone);
}

async function findEvidence(
  db: Db,
  advisorId: number,
  memberId: number,
): Promise<Pick<FirmStop, 'stopMeta' | 'stopBody'>> {
  const [row] = await db.query<Pick<FirmStop, 'stopMeta' | 'stopBody'>>(
    `select meta as "stopMeta", convert_from(b.body, 'UTF8') as "stopBody"
     from archive_entries e
     left join archive_bodies b using (advisor_id, number)
     where e.advisor_id = $1 and e.member_id = $2 and e.kind = 'consent' and e.meta::json ->> 'to' = 'opted_out'
     order by e.number desc
     limit 1`,
    [advisorId, memberId],
  );
  return row ?? { stopMeta: null, stopBody: null };
}
