import pg from 'pg';
import type { Ledger, Send } from './ledger.ts';

/** What happened to the texts that the server accepted. */
export type Findings = {
  accepted: number;
  /** Requests that were accepted although their answer never came. */
  acceptedUnanswered: number;
  onHandset: number;
  inDoubt: number;
  inDoubtOnHandset: number;
  failed: number;
  lost: string[];
  doubled: string[];
  /** Every other broken promise. */
  broken: string[];
};

type Stored = {
  messageId: number;
  text: string;
  status: string;
  failureCode: string | null;
  scheduledMessageId: number | null;
};
type Schedule = { status: string; reason: string | null };

/** Compares the ledger with the phones and the database, once everything has settled. */
export async function judge(databaseUrl: string, ledger: Ledger): Promise<Findings> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const findings = await judgeSends(db, ledger);
    findings.broken.push(...ledger.surprises);
    for (const check of [checkRecords, checkPhones, checkConsents]) findings.broken.push(...(await check(db, ledger)));
    return findings;
  } finally {
    await db.end();
  }
}

async function judgeSends(db: pg.Client, { sends }: Ledger): Promise<Findings> {
  const phones = await rows<{ text: string; times: number }>(
    db,
    'select text, count(*)::integer as times from handset_messages group by text',
  );
  const received = new Map(phones.map(({ text, times }) => [text, times]));
  const stored = Map.groupBy(
    await rows<Stored>(
      db,
      `select
         message_id::integer as "messageId", convert_from(body, 'UTF8') as text, status, failure_code as "failureCode",
         scheduled_message_id::integer as "scheduledMessageId"
       from messages
       join archive_bodies b on b.advisor_id = messages.advisor_id and b.number = archive_number
       where kind = 'text'`,
    ),
    ({ text }) => text,
  );
  const schedules = new Map(
    (
      await rows<Schedule & { id: number }>(
        db,
        'select scheduled_message_id::integer as id, status, reason from scheduled_messages',
      )
    ).map(({ id, ...schedule }) => [id, schedule]),
  );
  const findings: Findings = {
    accepted: 0,
    acceptedUnanswered: 0,
    onHandset: 0,
    inDoubt: 0,
    inDoubtOnHandset: 0,
    failed: 0,
    lost: [],
    doubled: [],
    broken: [],
  };
  for (const send of sends) {
    const schedule = send.scheduledMessageId === undefined ? undefined : schedules.get(send.scheduledMessageId);
    judgeSend(findings, send, received.get(send.text) ?? 0, stored.get(send.text) ?? [], schedule);
  }
  return findings;
}

function judgeSend(
  findings: Findings,
  send: Send,
  times: number,
  stored: Stored[],
  schedule: Schedule | undefined,
): void {
  const [message] = stored;
  const told = () => JSON.stringify({ ...send, times, stored, schedule });
  if (times > 1 || stored.length > 1) findings.doubled.push(told());
  if (send.outcome === 'refused') {
    if (times > 0 || message) findings.broken.push(`Refused, but sent anyway: ${told()}`);
    return;
  }
  // An unanswered request may have been accepted; if so, its text must not be lost either.
  if (send.outcome === 'unanswered' && !message) return;
  findings[send.outcome === 'accepted' ? 'accepted' : 'acceptedUnanswered'] += 1;
  if (message?.status === 'in_doubt') findings.inDoubt += 1;
  if (times > 0) {
    findings.onHandset += 1;
    if (message?.status === 'in_doubt') findings.inDoubtOnHandset += 1;
    if (message?.status === 'failed') findings.broken.push(`Failed, but on the handset: ${told()}`);
  } else if (
    (message?.status === 'failed' && message.failureCode) ||
    (schedule?.status === 'skipped' && schedule.reason)
  )
    findings.failed += 1;
  else if (message?.status !== 'in_doubt') findings.lost.push(told());
  const differs = send.messageId !== undefined && send.messageId !== message?.messageId;
  if (differs) findings.broken.push(`Stored under another id: ${told()}`);
}

/** Checks the archive, and that nothing is half done. Each query counts rows that must not exist. */
async function checkRecords(db: pg.Client): Promise<string[]> {
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
    [
      'attempts without an outcome',
      `select count(*)
       from begun b
       left join attempts a using (advisor_id, message_id, attempt)
       join messages t on t.advisor_id = b.advisor_id and t.message_id = b.message_id
       where a.outcome is null and (t.attempt <> b.attempt or t.date_time_sent is null)`,
    ],
    ['keys without an answer', 'select count(*) from idempotent_answers where status is null'],
  ];
  const found = [];
  for (const [what, sql] of faults) {
    const [row] = await rows<{ count: string }>(db, sql);
    if (Number(row?.count) > 0) found.push(`${row?.count} ${what}`);
  }
  return found;
}

/** Every text is on the phone as often as it was sent, or at most that often if it is in doubt. */
async function checkPhones(db: pg.Client): Promise<string[]> {
  const differing = await rows<object>(
    db,
    `with sent as (
       select
         phone, texting_number, convert_from(body, 'UTF8') as text,
         count(*) filter (where status in ('sent', 'delivered')) as surely,
         count(*) filter (where status in ('sent', 'delivered', 'in_doubt')) as perhaps
       from messages t
       join archive_bodies b on b.advisor_id = t.advisor_id and b.number = archive_number
       join members m on m.advisor_id = t.advisor_id and m.member_id = t.member_id
       join advisors a on a.advisor_id = t.advisor_id
       group by 1, 2, 3
     ),
     received as (
       select phone, texting_number, text, count(*) as times
       from handset_messages
       group by 1, 2, 3
     )
     select phone, text, surely, perhaps, times
     from sent
     full join received using (phone, texting_number, text)
     where coalesce(times, 0) not between coalesce(surely, 0) and coalesce(perhaps, 0)`,
  );
  return differing.map((row) => `Not on the phone as often as sent: ${JSON.stringify(row)}`);
}

/** A reply holds from the moment it was acknowledged; a number that was asked once has one request. */
async function checkConsents(db: pg.Client, { asked, replied }: Ledger): Promise<string[]> {
  const members = new Map(
    (
      await rows<{ phone: string; state: string; requests: number; confirmations: number; startedAt: Date | null }>(
        db,
        `select
           phone, state,
           count(distinct t.message_id) filter (where kind = 'consent_request')::integer as requests,
           count(distinct t.message_id) filter (where kind = 'opt_out')::integer as confirmations,
           max(date_time_started) filter (where kind not in ('opt_out', 'help')) as "startedAt"
         from members m
         left join messages t on t.advisor_id = m.advisor_id and t.member_id = m.member_id
         left join begun b on b.advisor_id = t.advisor_id and b.message_id = t.message_id
         where phone like '+1212%'
         group by m.advisor_id, m.member_id`,
      )
    ).map((row) => [row.phone, row]),
  );
  const found = [];
  for (const { phone, accepted } of asked) {
    const requests = members.get(phone)?.requests ?? 0;
    if (requests > 1 || (accepted && requests === 0)) found.push(`${phone} was asked ${requests} times`);
  }
  for (const { phone, word, answeredAt } of replied) {
    const member = members.get(phone);
    const expected = word === 'STOP' ? 'opted_out' : 'accepted';
    if (member?.state !== expected) found.push(`${phone} said ${word} and is ${member?.state}`);
    if (word === 'ACCEPT') continue;
    if (member?.confirmations !== 1) found.push(`${phone} said STOP and has ${member?.confirmations} confirmations`);
    if (member?.startedAt && member.startedAt > answeredAt)
      found.push(
        `${phone} said STOP at ${answeredAt.toISOString()} and was texted at ${member.startedAt.toISOString()}`,
      );
  }
  return found;
}

async function rows<Row extends object>(db: pg.Client, sql: string): Promise<Row[]> {
  return (await db.query<Row>(sql)).rows;
}
