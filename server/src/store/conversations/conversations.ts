import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { HeldReason, TextKind } from '../texting/texts.ts';

export type View = 'inbox' | 'unread' | 'snoozed' | 'done';

/** A conversation with a person, and its last text, if there is one. */
export type ConversationRow = {
  memberId: number;
  phone: string;
  contactId: number | null;
  name: string | null;
  state: ConsentState;
  lastChanged: Date;
  requestedAt: Date | null;
  heldSince: Date | null;
  unread: number;
  isDone: boolean;
  snoozedUntil: Date | null;
  draft: string | null;
  /** The conversation's place in the list. */
  dateTime: Date | null;
  /** When the text that is shown was handed over, or came. */
  shownTime: Date | null;
  direction: 'in' | 'out' | null;
  kind: TextKind | null;
  status: string | null;
  heldReason: HeldReason | null;
  text: string | null;
};

/** The place of a conversation in the order of last texts. */
type ConversationPlace = { dateTime: Date; memberId: number };

/**
 * Where texts are: those of an advisor in the order of time, and of one person. If two have the same time, the one that is
 * further down here is the later one.
 */
const logs = [
  {
    direction: 'out',
    from: `messages l where l.advisor_id = $1 and l.kind <> 'text'`,
    columns: 'l.kind, l.status, l.held_reason, l.archive_number',
  },
  {
    direction: 'out',
    from: `messages l where l.advisor_id = $1 and l.kind = 'text'`,
    columns: 'l.kind, l.status, l.held_reason, l.archive_number',
  },
  {
    direction: 'in',
    from: 'replies l where l.advisor_id = $1',
    columns: 'null::text, null::text, null::text, l.archive_number',
  },
] as const;

/**
 * Whether the row `l` is the last text of its person. Looked up row by row: as `not exists` it would be a join, which PostgreSQL
 * makes of everything that an advisor has, for as long as it has no statistics of a book that was just filled.
 */
function isLast(log: number): string {
  return logs
    .map(({ from }, other) => {
      const later = from.replace(/\bl\b/g, 'o');
      const isLater =
        other === log
          ? `(o.date_time_created, o.archive_number) > (l.date_time_created, l.archive_number)`
          : `o.date_time_created ${other > log ? '>=' : '>'} l.date_time_created`;
      return `(select 1 from ${later} and o.member_id = l.member_id and ${isLater} limit 1) is null`;
    })
    .join('\n       and ');
}

const latestReplyTime = `(
  select r.date_time_created
  from replies r
  where r.advisor_id = $1 and r.member_id = c.member_id
  order by r.date_time_created desc
  limit 1
)`;
/** Null if there is no row `c`: as a condition that finds conversations by their rows, and as a value false. */
const snoozed = `c.snoozed_until > $2 and coalesce(${latestReplyTime} <= c.snoozed_at, true)`;
const done = 'l.date_time_created <= c.done_at';
const isSnoozed = `coalesce(${snoozed}, false)`;
const isDone = `coalesce(${done}, false)`;
const hasUnread = `(
  select 1
  from replies r
  where r.advisor_id = $1 and r.member_id = l.member_id and r.reply_id > coalesce(c.read_reply_id, 0)
  limit 1
) is not null`;

/** Whether a conversation is in the view, by its row `c` and its last text `l`. */
const views: Record<View, string> = {
  inbox: `not ${isDone} and not ${isSnoozed}`,
  unread: hasUnread,
  snoozed: `${snoozed} and not ${isDone}`,
  done,
};

const columns = `
  m.member_id as "memberId", m.phone, contact.contact_id as "contactId", contact.name, m.state,
  m.last_changed as "lastChanged", m.requested_at as "requestedAt", m.held_since as "heldSince",
  (
    select count(*)
    from replies r
    where r.advisor_id = $1 and r.member_id = m.member_id and r.reply_id > coalesce(c.read_reply_id, 0)
  ) as unread,
  ${isDone} as "isDone", case when ${isSnoozed} then c.snoozed_until end as "snoozedUntil",
  c.draft, l.date_time_created as "dateTime", coalesce(went.at, l.date_time_created) as "shownTime",
  case when went.at is null then l.direction else 'out' end as direction, coalesce(went.kind, l.kind) as kind,
  coalesce(went.status, l.status) as status,
  case when went.at is null then l.held_reason else went.held_reason end as "heldReason", convert_from(b.body, 'UTF8') as text`;
/** Below the last that was written may stand one that waited, and went after it: as in its thread, that one is shown. */
const joined = `
  left join conversations c on c.advisor_id = $1 and c.member_id = m.member_id
  left join lateral (
    select kind, status, held_reason, archive_number, at
    from (
      (
        select kind, status, held_reason, archive_number, date_time_sent as at
        from messages
        where advisor_id = $1 and member_id = m.member_id and kind = 'text'
        order by date_time_created desc, message_id desc
        limit 3
      )
      union all
      (
        select kind, status, held_reason, archive_number, late_at
        from messages
        where advisor_id = $1 and member_id = m.member_id and late_at < 'infinity'
        order by late_at desc
        limit 1
      )
    ) as recent
    where at >= l.date_time_created
    order by at desc, archive_number desc
    limit 1
  ) as went on true
  left join archive_entries e
    on e.advisor_id = $1 and e.number = coalesce(went.archive_number, l.archive_number) and e.member_id = m.member_id
  left join archive_bodies b on b.advisor_id = $1 and b.number = e.number
  left join lateral (
    select contact_id, nullif(full_name, phone) as name
    from contacts
    where advisor_id = $1 and phone = m.phone
    order by contact_id
    limit 1
  ) as contact on true`;

/**
 * A view's conversations, those with the latest text first, after a place. Each of the logs is read from its end, and what isn't
 * the last text of its person is passed over, so that sending a text has nothing to keep for this.
 */
export async function listConversations(
  db: Db,
  advisorId: number,
  { view, now, after, limit }: { view: View; now: Date; after: ConversationPlace | null; limit: number },
): Promise<ConversationRow[]> {
  const found = logs.map(
    ({ direction, from, columns }, log) => `(
       select l.member_id, l.date_time_created, '${direction}' as direction, ${columns}
       from (select * from ${from}) as l
       left join conversations c on c.advisor_id = $1 and c.member_id = l.member_id
       where l.member_id is not null
         and ($3::timestamptz is null or (l.date_time_created, l.member_id) < ($3, $4::bigint))
         and l.date_time_created <= coalesce($3, 'infinity')
         and ${isLast(log)}
         and ${views[view]}
       order by l.date_time_created desc, l.member_id desc
       limit $5
     )`,
  );
  return db.query<ConversationRow>(
    `select ${columns}
     from (
       select member_id, date_time_created, direction, kind, status, held_reason, archive_number
       from (${found.join(' union all ')})
         as found (member_id, date_time_created, direction, kind, status, held_reason, archive_number)
       order by date_time_created desc, member_id desc
       limit $5
     ) as l
     join members m on m.advisor_id = $1 and m.member_id = l.member_id
     ${joined}
     order by l.date_time_created desc, l.member_id desc`,
    [advisorId, now, after?.dateTime ?? null, after?.memberId ?? null, limit],
    `list-conversations-${view}`,
  );
}

/** The conversation with a member, by id or number, whatever was texted. */
export async function findConversation(
  db: Db,
  advisorId: number,
  by: { memberId: number } | { phone: string },
  now: Date,
): Promise<ConversationRow | null> {
  const last = logs.map(
    ({ direction, from, columns }) => `(
       select l.date_time_created, '${direction}' as direction, ${columns}
       from (select * from ${from}) as l
       where l.member_id = m.member_id
       order by l.date_time_created desc
       limit 1
     )`,
  );
  const condition = 'memberId' in by ? 'm.member_id = $3' : 'm.phone = $3';
  return db.find<ConversationRow>(
    `select ${columns}
     from members m
     left join lateral (
       select *
       from (${last.join(' union all ')}) as found (date_time_created, direction, kind, status, held_reason, archive_number)
       order by date_time_created desc, archive_number desc
       limit 1
     ) as l on true
     ${joined}
     where m.advisor_id = $1 and ${condition}`,
    [advisorId, now, 'memberId' in by ? by.memberId : by.phone],
    `find-conversation-${'memberId' in by ? 'member' : 'phone'}`,
  );
}

/** What changes about a conversation; what is left out stays. */
export type ConversationChange = {
  readReplyId?: number;
  doneAt?: Date | null;
  snoozed?: { at: Date; until: Date } | null;
  draft?: string | null;
};

/** Whether the advisor knows the member, and so the conversation was changed. What was read stays read. */
export async function updateConversation(
  db: Db,
  advisorId: number,
  memberId: number,
  { readReplyId, doneAt, snoozed, draft }: ConversationChange,
): Promise<boolean> {
  return db.has(
    `insert into conversations as c (advisor_id, member_id, read_reply_id, done_at, snoozed_at, snoozed_until, draft)
     select advisor_id, member_id, coalesce($3::bigint, 0), $5, $7, $8, $10
     from members
     where advisor_id = $1 and member_id = $2
     on conflict (advisor_id, member_id) do update
     set
       read_reply_id = greatest(c.read_reply_id, excluded.read_reply_id),
       done_at = case when $4 then excluded.done_at else c.done_at end,
       snoozed_at = case when $6 then excluded.snoozed_at else c.snoozed_at end,
       snoozed_until = case when $6 then excluded.snoozed_until else c.snoozed_until end,
       draft = case when $9 then excluded.draft else c.draft end
     returning 1`,
    [
      advisorId,
      memberId,
      readReplyId ?? null,
      doneAt !== undefined,
      doneAt ?? null,
      snoozed !== undefined,
      snoozed?.at ?? null,
      snoozed?.until ?? null,
      draft !== undefined,
      draft ?? null,
    ],
    'update-conversation',
  );
}
