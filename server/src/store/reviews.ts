import type { Db } from './db.ts';

/** Something that a firm should look at; the archive entry says what. */
export type NewReview = { firmId: number; kind: 'opt_out_wording'; memberId: number; archiveNumber: number };

export async function insertReview(db: Db, advisorId: number, review: NewReview, now: Date): Promise<void> {
  await db.query(
    `insert into reviews (advisor_id, firm_id, kind, member_id, archive_number, date_time_created)
     values ($1, $2, $3, $4, $5, $6)`,
    [advisorId, review.firmId, review.kind, review.memberId, review.archiveNumber, now],
  );
}
