import pg from 'pg';
import type { Ledger, Send } from './ledger.ts';
import type { ReceivedText } from './phones.ts';
import { checkRecords } from './records.ts';

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
  /** Texts that went out although the person hadn't consented, or had said STOP. */
  withoutConsent: string[];
  /** Every other broken promise. */
  broken: string[];
};

type StoredText = {
  messageId: number;
  text: string;
  status: string;
  failureCode: string | null;
  scheduledMessageId: number | null;
};
/** How long a text that was handed to a socket may be on its way. */
const wireMs = 250;

type Schedule = { status: string; reason: string | null };

export type Verdict = {
  all: Findings /** What became of the texts that were sent during a fault. */;
  of(fault: string): Findings;
};

/**
 * Compares the ledger with the phones and the database, once everything has settled. Without `received`, the phones are the
 * sandbox's.
 */
export async function judge(databaseUrl: string, ledger: Ledger, received?: ReceivedText[]): Promise<Verdict> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    await layOut(db, received);
    const { all, ...verdict } = await judgeSends(db, ledger);
    all.broken.push(...ledger.surprises);
    for (const check of [checkRecords, checkPhones, checkConsents]) all.broken.push(...(await check(db, ledger)));
    all.withoutConsent.push(...(await checkStops(db, ledger)));
    return { all, ...verdict };
  } finally {
    await db.end();
  }
}

/** What the phones have, as a table. */
async function layOut(db: pg.Client, received: ReceivedText[] | undefined): Promise<void> {
  if (!received) {
    await db.query('create temp view received as select phone, texting_number, text, arrived_at from handset_messages');
    return;
  }
  await db.query('create temp table received (phone text, texting_number text, text text, arrived_at timestamptz)');
  await db.query(
    `insert into received
     select phone, texting_number, text, to_timestamp(at / 1000)
     from unnest($1::text[], $2::text[], $3::text[], $4::float8[]) as given (phone, texting_number, text, at)`,
    [
      received.map(({ phone }) => phone),
      received.map(({ textingNumber }) => textingNumber),
      received.map(({ text }) => text),
      received.map(({ at }) => at),
    ],
  );
}

async function judgeSends(db: pg.Client, { sends }: Ledger): Promise<Verdict> {
  const onPhones = await rows<ReceivedText & { times: number }>(
    db,
    'select phone, text, count(*)::integer as times from received group by 1, 2',
  );
  const received = new Map(onPhones.map(({ times, ...of }) => [keyOf(of), times]));
  const stored = Map.groupBy(
    await rows<StoredText & { phone: string }>(
      db,
      `select
         message_id::integer as "messageId", phone, convert_from(body, 'UTF8') as text, status, failure_code as "failureCode",
         scheduled_message_id::integer as "scheduledMessageId"
       from messages t
       join members m on m.advisor_id = t.advisor_id and m.member_id = t.member_id
       join archive_bodies b on b.advisor_id = t.advisor_id and b.number = archive_number
       where kind = 'text'`,
    ),
    keyOf,
  );
  const schedules = new Map(
    (
      await rows<Schedule & { id: number }>(
        db,
        'select scheduled_message_id::integer as id, status, reason from scheduled_messages',
      )
    ).map(({ id, ...schedule }) => [id, schedule]),
  );
  const judged = (some: Send[]): Findings => {
    const findings: Findings = {
      accepted: 0,
      acceptedUnanswered: 0,
      onHandset: 0,
      inDoubt: 0,
      inDoubtOnHandset: 0,
      failed: 0,
      lost: [],
      doubled: [],
      withoutConsent: [],
      broken: [],
    };
    for (const send of some) {
      const schedule = send.scheduledMessageId === undefined ? undefined : schedules.get(send.scheduledMessageId);
      judgeSend(findings, send, received.get(keyOf(send)) ?? 0, stored.get(keyOf(send)) ?? [], schedule);
    }
    return findings;
  };
  return { all: judged(sends), of: (fault) => judged(sends.filter((send) => send.fault === fault)) };
}

/** No phone gets the same text twice. */
function keyOf({ phone, text }: { phone: string; text: string }): string {
  return `${phone} ${text}`;
}

function judgeSend(
  findings: Findings,
  send: Send,
  times: number,
  stored: StoredText[],
  schedule: Schedule | undefined,
): void {
  const [message] = stored;
  const told = () => JSON.stringify({ ...send, times, stored, schedule });
  if (times > 1 || stored.length > 1) findings.doubled.push(told());
  if (send.outcome === 'refused') {
    // Nothing here is refused for another reason.
    if (times > 0) findings.withoutConsent.push(told());
    else if (message) findings.broken.push(`Refused, but stored anyway: ${told()}`);
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
     counted as (
       select phone, texting_number, text, count(*) as times
       from received
       group by 1, 2, 3
     )
     select phone, text, surely, perhaps, times
     from sent
     full join counted using (phone, texting_number, text)
     where coalesce(times, 0) not between coalesce(surely, 0) and coalesce(perhaps, 0)`,
  );
  return differing.map((row) => `Not on the phone as often as sent: ${JSON.stringify(row)}`);
}

/** A reply has taken effect once it was acknowledged; a number that was asked once has one request. */
async function checkConsents(db: pg.Client, { asked, replied }: Ledger): Promise<string[]> {
  const members = new Map(
    (
      await rows<{ phone: string; state: string; requests: number; confirmations: number }>(
        db,
        `select
           phone, state,
           count(distinct t.message_id) filter (where kind = 'consent_request')::integer as requests,
           count(distinct t.message_id) filter (where kind = 'opt_out')::integer as confirmations
         from members m
         left join messages t on t.advisor_id = m.advisor_id and t.member_id = m.member_id
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
  for (const { phone, word, isLate } of replied) {
    const member = members.get(phone);
    const expected = word === 'STOP' ? 'opted_out' : 'accepted';
    if (member?.state !== expected) found.push(`${phone} said ${word} and is ${member?.state}`);
    const confirmations = member?.confirmations ?? 0;
    if (word === 'STOP' && confirmations !== 1 && !(isLate && confirmations === 0))
      found.push(`${phone} said STOP and has ${member?.confirmations} confirmations`);
  }
  return found;
}

/** No text to a person begins after their STOP was acknowledged, by the time of its arrival. Answers to STOP and HELP may. */
async function checkStops(db: pg.Client, { replied }: Ledger): Promise<string[]> {
  const arrived = new Map(
    (
      await rows<{ phone: string; last: Date; text: string }>(
        db,
        `with answers as materialized (
           select distinct convert_from(body, 'UTF8') as text
           from messages t
           join archive_bodies b on b.advisor_id = t.advisor_id and b.number = archive_number
           where kind in ('opt_out', 'help')
         )
         select distinct on (phone) phone, arrived_at as last, text
         from received
         where text not in (select text from answers)
         order by phone, arrived_at desc`,
      )
    ).map((row) => [row.phone, row]),
  );
  return replied.flatMap(({ phone, word, answeredAt }) => {
    const { last, text } = arrived.get(phone) ?? {};
    if (word !== 'STOP' || !last || last.getTime() <= answeredAt.getTime() + wireMs) return [];
    return `${phone} said STOP at ${answeredAt.toISOString()} and was texted "${text}" at ${last.toISOString()}`;
  });
}

async function rows<Row extends object>(db: pg.Client, sql: string): Promise<Row[]> {
  return (await db.query<Row>(sql)).rows;
}
