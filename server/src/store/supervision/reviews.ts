import type { Db, Transaction } from '../database/db.ts';
import { drawIds, forAdvisors } from '../database/for-advisors.ts';

export type ReviewKind =
  | 'possible_opt_out'
  | 'opt_out_wording'
  | 'out_of_order'
  | 'misdirected'
  | 'held'
  | 'flagged'
  | 'blocked'
  | 'sample';
export type ReviewStatus = 'open' | 'approved' | 'rejected';

/** Something that a firm should review; the archive entry says what. */
export type NewReview = {
  advisorId: number;
  firmId: number;
  kind: ReviewKind;
  /** Null for a text whose sender is no phone number. */
  memberId: number | null;
  /** Null for one of our messages: then it is the message's. */
  archiveNumber: number | null;
  messageId: number | null;
  rules: string[];
  lexiconVersion: number | null;
};

export type ReviewRow = Omit<NewReview, 'archiveNumber'> & {
  reviewId: number;
  archiveNumber: number;
  advisorName: string;
  /** What the carrier says of the sender if that is no number. */
  phone: string;
  status: ReviewStatus;
  decidedBy: string | null;
  decidedAt: Date | null;
  assignedTo: number | null;
  assignedName: string | null;
  /** From then on only a compliance officer decides it. */
  escalatedAt: Date | null;
  dateTimeCreated: Date;
};

/** A decision or a note on a review; the note's text is gone once its retention is over. */
export type ReviewEventRow = {
  number: number;
  actor: string;
  /** Null unless it is somebody of the staff. */
  actorName: string | null;
  meta: string;
  body: string | null;
  dateTimeCreated: Date;
};

export type ReviewFilter = { firmId: number | null; status: ReviewStatus; kind: ReviewKind | null };

export const reviewColumns = `
  r.review_id as "reviewId", r.advisor_id as "advisorId", a.name as "advisorName", r.firm_id as "firmId", r.kind,
  r.member_id as "memberId", coalesce(m.phone, e.meta::json ->> 'from') as phone, r.archive_number as "archiveNumber", r.message_id as "messageId", r.rules,
  r.lexicon_version as "lexiconVersion", r.status, s.name as "decidedBy", r.decided_at as "decidedAt",
  r.assigned_to as "assignedTo", o.name as "assignedName", r.escalated_at as "escalatedAt",
  r.date_time_created as "dateTimeCreated"`;
export const reviewJoins = `
  join advisors a on a.advisor_id = r.advisor_id
  left join members m on m.advisor_id = r.advisor_id and m.member_id = r.member_id
  left join archive_entries e
    on r.member_id is null and e.advisor_id = r.advisor_id and e.number = r.archive_number
  left join staff s on s.staff_id = r.decided_by
  left join staff o on o.staff_id = r.assigned_to`;

/** Opens reviews, in one statement however many there are. */
export async function insertReviews(db: Db, reviews: NewReview[], now: Date): Promise<void> {
  if (reviews.length === 0) return;
  const ids = await drawIds(db, 'reviews_review_id_seq', reviews.length);
  const numbered = reviews.map((review, index) => ({ ...review, reviewId: ids[index] }));
  await forAdvisors(db, numbered, (db, reviews) =>
    db.write(
      `with given as materialized (
         select
           given.*,
           coalesce(
             "archiveNumber",
             (select t.archive_number from messages t where t.advisor_id = given.advisor_id and t.message_id = "messageId")
           ) as archive_number
         from json_to_recordset($1) as given (
           "reviewId" bigint, advisor_id bigint, "firmId" bigint, kind text, "memberId" bigint, "archiveNumber" bigint, "messageId" bigint,
           rules text[], "lexiconVersion" integer
         )
       )
       insert into reviews (
         review_id, advisor_id, firm_id, kind, member_id, archive_number, message_id, rules, lexicon_version,
         date_time_created
       )
       overriding system value
       select
         coalesce("reviewId", nextval('reviews_review_id_seq')), advisor_id, "firmId", kind, "memberId", archive_number,
         "messageId", rules, "lexiconVersion", $2
       from given`,
      [JSON.stringify(reviews.map(({ advisorId, ...review }) => ({ advisor_id: advisorId, ...review }))), now],
      'insert-reviews',
    ),
  );
}

/** Oldest first. Spans advisors: a reviewer sees all of a firm. */
export async function listReviews(db: Db, { firmId, status, kind }: ReviewFilter, limit: number): Promise<ReviewRow[]> {
  return db.query<ReviewRow>(
    `select ${reviewColumns}
     from reviews r
     ${reviewJoins}
     where r.status = $1
       and ($2::bigint is null or r.firm_id = $2)
       and ($3::text is null or r.kind = $3)
     order by r.review_id
     limit $4`,
    [status, firmId, kind, limit],
  );
}

/** By id alone, which is unique across advisors. Spans advisors: a reviewer knows only its id. */
export async function findReview(db: Db, reviewId: number): Promise<ReviewRow | null> {
  return db.find<ReviewRow>(
    `select ${reviewColumns}
     from reviews r
     ${reviewJoins}
     where r.review_id = $1`,
    [reviewId],
  );
}

/** The same, locked: nobody else decides it until the transaction ends. */
export async function lockReview(db: Db, reviewId: number): Promise<ReviewRow | null> {
  const found = await findReview(db, reviewId);
  if (!found) return null;
  await db.query('select from reviews where advisor_id = $1 and review_id = $2 for update', [
    found.advisorId,
    reviewId,
  ]);
  return findReview(db, reviewId);
}

export async function isLatestReview(db: Db, { advisorId, memberId, kind, reviewId }: ReviewRow): Promise<boolean> {
  const rows = await db.query(
    `select
     from reviews
     where advisor_id = $1 and member_id = $2 and kind = $3 and review_id > $4`,
    [advisorId, memberId, kind, reviewId],
  );
  return rows.length === 0;
}

export async function updateReview(
  db: Db,
  advisorId: number,
  reviewId: number,
  { status, decidedBy, now }: { status: ReviewStatus; decidedBy: number; now: Date },
): Promise<void> {
  await db.query(
    `update reviews
     set status = $3, decided_by = $4, decided_at = $5
     where advisor_id = $1 and review_id = $2`,
    [advisorId, reviewId, status, decidedBy, now],
  );
}

export async function updateAssignee(
  db: Db,
  advisorId: number,
  reviewId: number,
  assignedTo: number | null,
): Promise<void> {
  await db.query('update reviews set assigned_to = $3 where advisor_id = $1 and review_id = $2', [
    advisorId,
    reviewId,
    assignedTo,
  ]);
}

export async function updateEscalated(
  db: Db,
  advisorId: number,
  reviewId: number,
  escalatedAt: Date | null,
): Promise<void> {
  await db.query('update reviews set escalated_at = $3 where advisor_id = $1 and review_id = $2', [
    advisorId,
    reviewId,
    escalatedAt,
  ]);
}

/** The entry that a review is about; the text is null once it is no longer kept. */
export async function findReviewed(db: Db, advisorId: number, archiveNumber: number) {
  return db.find<{ meta: string; text: string | null; dateTime: Date }>(
    `select meta, convert_from(body, 'UTF8') as text, date_time_created as "dateTime"
     from archive_entries
     left join archive_bodies using (advisor_id, number)
     where advisor_id = $1 and number = $2`,
    [advisorId, archiveNumber],
  );
}

/** The decisions and notes on reviews of this member's texts in either direction, oldest first. */
export async function listReviewEvents(db: Db, advisorId: number, memberId: number | null): Promise<ReviewEventRow[]> {
  return db.query<ReviewEventRow>(
    `select
       e.number, e.actor, s.name as "actorName", e.meta, convert_from(b.body, 'UTF8') as body,
       e.date_time_created as "dateTimeCreated"
     from archive_entries e
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
     left join staff s on e.actor = 'staff:' || s.staff_id
     where e.advisor_id = $1 and (e.member_id = $2 or ($2::bigint is null and e.member_id is null)) and e.kind = 'review'
     order by e.number`,
    [advisorId, memberId],
  );
}

export async function updateSamplePercent(db: Db, firmId: number, percent: number): Promise<void> {
  await db.query('update firms set review_sample_percent = $2 where firm_id = $1', [firmId, percent]);
}

/**
 * Claims the day for the caller, for each firm whose sample nobody has drawn yet. Returns those firms. Nodes take turns:
 * an insert that may meet another one's row could need more privileges than to insert.
 */
export async function claimSamples(db: Transaction, day: string, now: Date): Promise<number[]> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('review samples', 0))`);
  const missing = await db.query<{ firmId: number }>(
    `select firm_id as "firmId"
     from firms f
     where not exists (
       select
       from review_samples s
       where s.firm_id = f.firm_id and s.day = $1::date
     )
     order by firm_id`,
    [day],
  );
  for (const { firmId } of missing)
    await db.query('insert into review_samples (firm_id, day, date_time_created) values ($1, $2, $3)', [
      firmId,
      day,
      now,
    ]);
  return missing.map(({ firmId }) => firmId);
}

export type Sample = { firmIds: number[]; from: Date; until: Date; textsMax: number };

/**
 * Opens reviews for a share of the day's texts of each of these firms, at least one if there are any. They are picked with the
 * randomness behind UUIDs, so nobody can know beforehand. Texts that reviewers decide about anyway are left out. Spans advisors:
 * a sample is of a whole firm.
 */
export async function insertSamples(db: Db, { firmIds, from, until, textsMax }: Sample, now: Date): Promise<number> {
  const rows = await db.query(
    `with drawn as (
       select a.firm_id, t.advisor_id, t.message_id, t.member_id, t.archive_number, f.review_sample_percent as percent,
         row_number() over (partition by a.firm_id order by gen_random_uuid()) as place,
         count(*) over (partition by a.firm_id) as texts
       from messages t
       join advisors a on a.advisor_id = t.advisor_id
       join firms f on f.firm_id = a.firm_id
       where a.firm_id = any ($1)
         and t.date_time_created >= $2
         and t.date_time_created < $3
         and t.kind = 'text'
         and t.status <> 'held'
         and t.failure_code is distinct from 'text_blocked'
     )
     insert into reviews (advisor_id, firm_id, kind, member_id, archive_number, message_id, date_time_created)
     select advisor_id, firm_id, 'sample', member_id, archive_number, message_id, $5
     from drawn
     where percent > 0
       and place <= least($4, greatest(1, ceil(texts * percent / 100)))
       -- What is reviewed is the entry: a row that somebody altered may name another person's.
       and exists (
         select
         from archive_entries e
         where e.advisor_id = drawn.advisor_id
           and e.number = drawn.archive_number
           and e.message_id = drawn.message_id
           and e.member_id = drawn.member_id
       )
     order by advisor_id, message_id
     returning 1`,
    [firmIds, from, until, textsMax, now],
  );
  return rows.length;
}
