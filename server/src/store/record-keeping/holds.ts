import type { Db } from '../database/db.ts';

/** A legal hold, with who and why. Without an advisor it covers the whole firm, without a phone all of the advisor's records. */
export type HoldRow = {
  holdId: number;
  firmId: number;
  advisorId: number | null;
  phone: string | null;
  reason: string;
  by: string;
  dateTimeCreated: Date;
  dateTimeLifted: Date | null;
  liftedBy: string | null;
  liftReason: string | null;
};
/** Who acts and why, for the archive. */
export type HoldAct = { reason: string; staffId: number; traceId: string | null; via: string | null };
type NewHold = HoldAct & { firmId: number; advisorId: number | null; memberId: number | null };

const columns = `
  h.hold_id as "holdId", h.firm_id as "firmId", h.advisor_id as "advisorId", m.phone, h.reason, s.name as "by",
  h.date_time_created as "dateTimeCreated", l.date_time_created as "dateTimeLifted", ls.name as "liftedBy",
  l.reason as "liftReason"`;
const joins = `
  join staff s using (staff_id)
  left join members m on m.advisor_id = h.advisor_id and m.member_id = h.member_id
  left join hold_lifts l on l.hold_id = h.hold_id
  left join staff ls on ls.staff_id = l.staff_id`;

/** With its archive entry. */
export async function insertHold(db: Db, hold: NewHold): Promise<number> {
  const { holdId } = await db.one<{ holdId: number }>('select add_hold($1, $2, $3, $4, $5, $6, $7) as "holdId"', [
    hold.firmId,
    hold.advisorId,
    hold.memberId,
    hold.reason,
    hold.staffId,
    hold.traceId,
    hold.via,
  ]);
  return holdId;
}

/** With its archive entry. False if the hold is already lifted. */
export async function insertHoldLift(db: Db, lift: HoldAct & { holdId: number }): Promise<boolean> {
  const found = await db.value<boolean>('select lift_hold($1, $2, $3, $4, $5) as lifted', [
    lift.holdId,
    lift.reason,
    lift.staffId,
    lift.traceId,
    lift.via,
  ]);
  return found ?? false;
}

/** Spans advisors: a hold may be of a whole firm. */
export async function findHold(db: Db, holdId: number) {
  return db.find<HoldRow & { memberId: number | null }>(
    `select ${columns}, h.member_id as "memberId"
     from holds h
     ${joins}
     where h.hold_id = $1`,
    [holdId],
  );
}

/** Spans advisors: a hold may be of a whole firm. */
export async function listHolds(db: Db): Promise<HoldRow[]> {
  return db.query<HoldRow>(
    `select ${columns}
     from holds h
     ${joins}
     order by h.hold_id`,
  );
}
