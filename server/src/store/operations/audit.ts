import type { Db } from '../database/db.ts';

/** Entries about accounts and settings: none of these kinds has a text in it. */
export const auditKinds = [
  'setting',
  'staff',
  'sign_in',
  'text_read',
  'retention',
  'hold',
  'disposal',
  'export',
] as const;
/** Of a larger one, such as a version of a large lexicon, the list says what it was. */
const listedBytesMax = 16 * 1024;
export type AuditKind = (typeof auditKinds)[number];

export type AuditRow = {
  advisorId: number;
  number: number;
  kind: AuditKind;
  actor: string;
  meta: string;
  /** Null for records that left or were disposed of: those say whose they were. */
  body: string | null;
  dateTimeCreated: Date;
};
export type AuditQuery = {
  kinds: readonly AuditKind[];
  actor: string | null;
  since: Date | null;
  until: Date | null;
  /** The last row of the page before. */
  before: { dateTime: Date; advisorId: number; number: number } | null;
  limit: number;
};

/** The newest first, by the index of the audit log. Spans advisors: an operator looks at the whole deployment. */
export async function listAuditRows(db: Db, filter: AuditQuery): Promise<AuditRow[]> {
  const { kinds, actor, since, until, before, limit } = filter;
  return db.query<AuditRow>(
    `select
       e.advisor_id as "advisorId", e.number, e.kind, e.actor, e.meta, e.date_time_created as "dateTimeCreated",
       case
         when e.kind in ('setting', 'staff', 'sign_in', 'text_read') and octet_length(b.body) <= ${listedBytesMax}
         then convert_from(b.body, 'UTF8')
       end as body
     from archive_entries e
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
     where e.kind in (${auditKinds.map((kind) => `'${kind}'`).join(', ')})
       and e.kind = any ($1)
       and ($2::text is null or e.actor = $2)
       and ($3::timestamptz is null or e.date_time_created >= $3)
       and ($4::timestamptz is null or e.date_time_created < $4)
       and ($5::timestamptz is null or (e.date_time_created, e.advisor_id, e.number) < ($5, $6, $7))
     order by e.date_time_created desc, e.advisor_id desc, e.number desc
     limit $8`,
    [kinds, actor, since, until, before?.dateTime ?? null, before?.advisorId ?? null, before?.number ?? null, limit],
  );
}
