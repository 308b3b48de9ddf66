import type pg from 'pg';

/** Checks the archive, and that nothing is half done. Each query counts rows that must not exist. */
export async function checkRecords(db: pg.Client): Promise<string[]> {
  const faults: [string, string][] = [
    [
      'archives whose numbers are not dense',
      `select count(*)
       from archive_heads h
       full join (
         select advisor_id, count(*) as entries, min(number) as least, max(number) as most
         from archive_entries
         group by advisor_id
       ) as e using (advisor_id)
       where last_number is distinct from coalesce(entries, 0) or least <> 1 or most <> entries`,
    ],
    [
      'entries without a body, or with one that doesn’t match the commitment',
      `select count(*)
       from archive_entries e
       left join archive_bodies b using (advisor_id, number)
       where kind <> 'outcome' and commitment is distinct from sha256(salt || body)`,
    ],
    [
      'bodies without an entry',
      `select count(*)
       from archive_bodies b
       where not exists (
         select
         from archive_entries e
         where e.advisor_id = b.advisor_id and e.number = b.number
       )`,
    ],
    [
      'messages without their entry',
      `select count(*)
       from messages t
       left join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
       where e.message_id is distinct from t.message_id or e.kind is distinct from 'text_out'`,
    ],
    [
      'entries of texts without their message',
      `select count(*)
       from archive_entries e
       left join messages t using (advisor_id, message_id)
       where e.kind = 'text_out' and t.archive_number is distinct from e.number`,
    ],
    [
      'messages whose last outcome is not archived',
      `select count(*)
       from messages t
       left join (
         select distinct on (advisor_id, message_id) advisor_id, message_id, meta::json ->> 'outcome' as outcome
         from archive_entries
         where kind = 'outcome'
         order by advisor_id, message_id, number desc
       ) as o using (advisor_id, message_id)
       where t.status <> coalesce(o.outcome, 'sent')`,
    ],
    ['messages that never ended', `select count(*) from messages where status = 'queued'`],
    ['failures without a reason', `select count(*) from messages where status = 'failed' and failure_code is null`],
    ['texts left in the outbox', 'select count(*) from dispatches'],
    ['schedules that are due but were not sent', `select count(*) from scheduled_messages where status = 'scheduled'`],
    ['claims that never ended', 'select count(*) from claims'],
    ['keys without a response', 'select count(*) from idempotent_responses where status is null'],
  ];
  // On Citus nobody keeps the attempts: the claims are on the workers.
  if ((await db.query(`select where to_regclass('begun') is not null`)).rows.length > 0)
    faults.push([
      'attempts without an outcome',
      `select count(*)
       from begun b
       left join attempts a using (advisor_id, message_id, attempt)
       join messages t on t.advisor_id = b.advisor_id and t.message_id = b.message_id
       where a.outcome is null and (t.attempt <> b.attempt or t.date_time_sent is null)`,
    ]);
  const found = [];
  for (const [what, sql] of faults) {
    const [row] = (await db.query<{ count: string }>(sql)).rows;
    if (Number(row?.count) > 0) found.push(`${row?.count} ${what}`);
  }
  return found;
}
