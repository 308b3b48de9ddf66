import type { Db } from '../database/db.ts';

/** A change of consent as the archive has it. */
export type ConsentEvidenceRow = {
  archiveNumber: number;
  dateTime: Date;
  actor: string;
  /** Of an application, or of a person of the firm. */
  actorName: string | null;
  meta: string;
  /** Null once it is no longer kept. */
  body: string | null;
};

/** What was agreed with a member, the latest first. */
export async function listConsentEvidence(
  db: Db,
  advisorId: number,
  memberId: number,
  limit: number,
): Promise<ConsentEvidenceRow[]> {
  return db.query(
    `select
       e.number as "archiveNumber", e.date_time_created as "dateTime", e.actor,
       coalesce(application.name, staff.name) as "actorName", e.meta, convert_from(b.body, 'UTF8') as body
     from archive_entries e
     left join archive_bodies b on b.advisor_id = $1 and b.number = e.number
     left join applications application on e.actor = 'application:' || application.application_id
     left join staff on e.actor = 'staff:' || staff.staff_id
     where e.advisor_id = $1 and e.member_id = $2 and e.kind = 'consent'
     order by e.number desc
     limit $3`,
    [advisorId, memberId, limit],
    'list-consent-evidence',
  );
}
