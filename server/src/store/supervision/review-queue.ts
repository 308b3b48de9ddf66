import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { type ReviewKind, type ReviewRow, reviewColumns, reviewJoins } from './reviews.ts';

/** Which of a firm's open reviews. `without` are those that somebody has just decided and can still undo. */
export type QueueFilter = {
  kind?: ReviewKind | undefined;
  assignedTo?: number | undefined;
  isEscalated?: boolean | undefined;
  memberIds?: number[] | undefined;
  without: number[];
};

/**
 * Open reviews after one of them. Each filter has an index in the order of the ids, so that a page takes as long with 100,000 open
 * reviews as with ten. Spans advisors: a reviewer sees all of a firm.
 */
export async function listQueue(
  db: Db,
  firmId: number,
  filter: QueueFilter,
  { after, isNewestFirst, limit }: { after: number | null; isNewestFirst: boolean; limit: number },
): Promise<ReviewRow[]> {
  const { clauses, values } = conditionsOf(firmId, filter);
  if (after !== null) clauses.push(`r.review_id ${isNewestFirst ? '<' : '>'} $${values.push(after)}`);
  return db.query<ReviewRow>(
    `select ${reviewColumns}
     from reviews r
     ${reviewJoins}
     where ${clauses.join(' and ')}
     order by r.review_id ${isNewestFirst ? 'desc' : 'asc'}
     limit $${values.push(limit)}`,
    values,
  );
}

/** How many there are by each of these filters, counted up to a limit. Spans advisors: a reviewer sees all of a firm. */
export async function countQueue<Name extends string>(
  db: Db,
  firmId: number,
  filters: Record<Name, QueueFilter>,
  limit: number,
): Promise<Record<Name, number>> {
  const all: unknown[] = [];
  const parts = Object.entries<QueueFilter>(filters).map(([name, filter]) => {
    const { clauses, values } = conditionsOf(firmId, filter, all.length);
    all.push(...values);
    return `select $${all.push(name)}::text as name, count(*)::integer as count
      from (select 1 from reviews r where ${clauses.join(' and ')} limit ${Math.trunc(limit)}) as counted`;
  });
  const rows = await db.query<{ name: Name; count: number }>(parts.join(' union all '), all);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count])) as Record<Name, number>;
}

function conditionsOf(
  firmId: number,
  { kind, assignedTo, isEscalated, memberIds, without }: QueueFilter,
  bound = 0,
): { clauses: string[]; values: unknown[] } {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${bound + values.push(value)}`;
  const clauses = [`r.firm_id = ${bind(firmId)}`, `r.status = 'open'`];
  if (kind !== undefined) clauses.push(`r.kind = ${bind(kind)}`);
  if (assignedTo !== undefined) clauses.push(`r.assigned_to = ${bind(assignedTo)}`);
  if (isEscalated) clauses.push('r.escalated_at is not null');
  if (memberIds) clauses.push(`r.member_id = any (${bind(memberIds)}::bigint[])`);
  if (without.length > 0) clauses.push(`r.review_id <> all (${bind(without)}::bigint[])`);
  return { clauses, values };
}

/** What is shown of a review in the queue; the text is null once it is no longer kept, and the name if nobody gave one. */
type QueueWords = { reviewId: number; text: string | null; name: string | null };

export async function listQueueWords(db: Db, reviews: ReviewRow[]): Promise<QueueWords[]> {
  if (reviews.length === 0) return [];
  return forAdvisors(db, reviews, (db, reviews) =>
    db.query<QueueWords>(
      `select given."reviewId", convert_from(b.body, 'UTF8') as text, contact.name
       from json_to_recordset($1) as given (
         "reviewId" bigint, advisor_id bigint, "archiveNumber" bigint, phone text
       )
       left join archive_bodies b on b.advisor_id = given.advisor_id and b.number = given."archiveNumber"
       left join lateral (
         select nullif(full_name, c.phone) as name
         from contacts c
         where c.advisor_id = given.advisor_id and c.phone = given.phone
         order by contact_id
         limit 1
       ) as contact on true`,
      [
        JSON.stringify(
          reviews.map(({ reviewId, advisorId, archiveNumber, phone }) => ({
            reviewId,
            advisor_id: advisorId,
            archiveNumber,
            phone,
          })),
        ),
      ],
      'list-queue-words',
    ),
  );
}

/** How possible opt-outs of the firm were decided since then. Spans advisors: a firm decides for all of its own. */
export async function countOptOutDecisions(db: Db, firmId: number, since: Date) {
  return db.one<{ optOuts: number; others: number }>(
    `select
       count(*) filter (where status = 'rejected')::integer as "optOuts",
       count(*) filter (where status = 'approved')::integer as others
     from reviews
     where firm_id = $1 and status <> 'open' and decided_at >= $2 and kind = 'possible_opt_out'`,
    [firmId, since],
  );
}
