import type { Db } from '../database/db.ts';

/** A text as a lexicon read it, or would have. `id` is that of the message, reply or review. */
export type ScreenedText = { id: number; dateTime: Date; text: string; phone: string | null };
type ScreenedKind = 'out' | 'in' | 'blocked';

/** Texts that the advisor sent, replies to them, or attempts that were blocked: the newest first, of which the text is still kept. */
export async function listScreenedTexts(
  db: Db,
  kind: ScreenedKind,
  { advisorId, since, before, limit }: { advisorId: number; since: Date; before: number | null; limit: number },
): Promise<ScreenedText[]> {
  return db.query<ScreenedText>(
    `select
       screened.id, screened.date_time_created as "dateTime", convert_from(b.body, 'UTF8') as text, m.phone
     from (${screened[kind]}) as screened
     join archive_bodies b on b.advisor_id = $1 and b.number = screened.archive_number
     left join members m on m.advisor_id = $1 and m.member_id = screened.member_id
     order by screened.id desc`,
    [advisorId, since, before, limit],
    `list-screened-texts-${kind}`,
  );
}

const screened: Record<ScreenedKind, string> = {
  out: `
    select message_id as id, date_time_created, archive_number, member_id
    from messages
    where advisor_id = $1 and kind = 'text' and date_time_created >= $2
      and ($3::bigint is null or message_id < $3)
    order by message_id desc
    limit $4`,
  in: `
    select reply_id as id, date_time_created, archive_number, member_id
    from replies
    where advisor_id = $1 and date_time_created >= $2
      and ($3::bigint is null or reply_id < $3)
    order by reply_id desc
    limit $4`,
  blocked: `
    select review_id as id, date_time_created, archive_number, member_id
    from reviews
    where advisor_id = $1 and kind = 'blocked' and date_time_created >= $2
      and ($3::bigint is null or review_id < $3)
    order by review_id desc
    limit $4`,
};

/** The advisors of a firm, with their names. */
export async function listFirmAdvisors(db: Db, firmId: number) {
  return db.query<{ advisorId: number; name: string }>(
    'select advisor_id as "advisorId", name from advisors where firm_id = $1 order by advisor_id',
    [firmId],
  );
}
