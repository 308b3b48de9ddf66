import { moved } from '../support/database.ts';
import { people } from './small-book.ts';
import type { Tampering, Target } from './tampering.ts';

/** Changes to the tables that the product works with, and to entries before they are signed. */
export const tableTamperings: Tampering[] = [
  {
    name: 'the consent of a person who opted out',
    names: 'entry 3 of advisor cat',
    tamper: of(`update members set state = 'accepted' where advisor_id = $1 and phone = '${people.stopped}'`),
  },
  {
    name: 'consent, put back to what an older entry says',
    names: 'entry 5 of advisor cat',
    tamper: of(`update members set state = 'accepted' where advisor_id = $1 and phone = '${people.changed}'`),
  },
  {
    name: 'consent, and the column of the entry that proves it',
    names: 'entry 3 of advisor cat',
    async tamper(target) {
      await target.sql('alter table archive_entries alter consent_state drop expression');
      await of(
        `update archive_entries set consent_state = 'accepted' where advisor_id = $1 and number = 3`,
        `update members set state = 'accepted' where advisor_id = $1 and phone = '${people.stopped}'`,
      )(target);
    },
  },
  {
    name: 'a member with consent, without an entry',
    names: 'member',
    tamper: of(
      `insert into members (advisor_id, phone, state, last_changed, date_time_created) values ($1, '+12125550109', 'accepted', now(), now())`,
    ),
  },
  {
    name: 'the numbers of two members',
    names: 'entry 2 of advisor cat',
    tamper: of(
      `update members set phone = '+12125550109' where advisor_id = $1 and phone = '${people.stopped}'`,
      `update members set phone = '${people.stopped}' where advisor_id = $1 and phone = '${people.accepted}'`,
      `update members set phone = '${people.accepted}' where advisor_id = $1 and phone = '+12125550109'`,
    ),
  },
  {
    name: 'a member deleted',
    names: 'entry 3 of advisor cat',
    tamper: of(`delete from members where advisor_id = $1 and phone = '${people.stopped}'`),
  },
  {
    name: 'a message deleted, with its attempt',
    names: 'entry 6 of advisor cat',
    tamper: of('delete from attempts where advisor_id = $1', 'delete from messages where advisor_id = $1'),
  },
  {
    name: 'the recipient of a message',
    names: 'entry 6 of advisor cat',
    tamper: of(
      `update messages set member_id = (select member_id from members where advisor_id = $1 and phone = '${people.stopped}') where advisor_id = $1`,
    ),
  },
  {
    name: 'the time of a message',
    names: 'entry 6 of advisor cat',
    tamper: of(
      `update messages set date_time_created = ${moved('date_time_created', "interval '-1 second'")} where advisor_id = $1`,
    ),
  },
  {
    name: 'the status of a message',
    names: 'entry 6 of advisor cat',
    tamper: of(`update messages set status = 'failed' where advisor_id = $1`),
  },
  {
    name: 'a delivered message, made undelivered',
    names: 'entry 7 of advisor cat',
    tamper: of(`update messages set status = 'undelivered' where advisor_id = $1`),
  },
  {
    name: 'a delivered message, made sent',
    names: 'entry 7 of advisor cat',
    tamper: of(`update messages set status = 'sent', date_time_delivered = null where advisor_id = $1`),
  },
  {
    name: 'a delivered message, made one that awaits consent',
    names: 'entry 7 of advisor cat',
    tamper: of(
      `update messages set status = 'awaiting_consent', carrier_message_id = null, date_time_sent = null where advisor_id = $1`,
    ),
  },
  {
    name: 'a text that awaits consent, put into the outbox without it',
    names: 'entry 8 of advisor cat',
    before: waitingText,
    tamper: of(`update messages set status = 'queued' where advisor_id = $1 and archive_number = 8`),
  },
  {
    name: 'a text that awaits consent, ended without an entry',
    names: 'entry 8 of advisor cat',
    before: waitingText,
    tamper: of(
      `update messages set status = 'failed', failure_code = 'consent_lapsed' where advisor_id = $1 and archive_number = 8`,
    ),
  },
  {
    name: 'the reason of an outcome',
    names: 'entry 7 of advisor cat',
    tamper: of(`update messages set failure_code = '30003' where advisor_id = $1`),
  },
  {
    name: 'the reason of a failure, as a pattern that fits any',
    names: 'entry 7 of advisor cat',
    tamper: of(`update messages set failure_code = '%' where advisor_id = $1`),
  },
  {
    name: 'the status of a message, with more of what its entry says',
    names: 'entry 7 of advisor cat',
    tamper: of(`update messages set status = 'delivered","reason":null,"text":6' where advisor_id = $1`),
  },
  {
    name: 'the kind of a message, as a pattern that fits any',
    names: 'entry 6 of advisor cat',
    tamper: of(`update messages set kind = '%' where advisor_id = $1`),
  },
  {
    name: 'another message instead of one',
    names: 'entry 6 of advisor cat',
    tamper: of('update messages set message_id = message_id + 1000 where advisor_id = $1 and archive_number = 6'),
  },
  {
    name: 'when a message was handed over',
    names: 'entry 7 of advisor cat',
    tamper: of(
      `update messages set date_time_sent = ${moved('date_time_sent', "interval '-1 hour'")} where advisor_id = $1`,
    ),
  },
  {
    name: 'the carrier of a message',
    names: 'entry 7 of advisor cat',
    tamper: of('update messages set carrier_id = 9 where advisor_id = $1'),
  },
  {
    name: 'the carrier of a message, made none',
    names: 'entry 7 of advisor cat',
    tamper: of('update messages set carrier_id = null where advisor_id = $1'),
  },
  {
    name: 'the type of media that came with a reply',
    names: 'entry 8 of advisor cat',
    before: replyWithMedia,
    tamper: of(`update reply_media set content_type = 'text/html' where advisor_id = $1`),
  },
  {
    name: 'media that came with a reply, of another person',
    names: 'entry 8 of advisor cat',
    before: replyWithMedia,
    tamper: of('update reply_media set member_id = member_id + 1 where advisor_id = $1'),
  },
  {
    name: 'media of a reply, deleted',
    names: 'entry 8 of advisor cat',
    before: replyWithMedia,
    tamper: of('delete from reply_media where advisor_id = $1'),
  },
  {
    name: 'media that are still to be fetched, said to be in an entry that has none',
    names: 'entry 6 of advisor cat',
    before: replyWithMedia,
    tamper: of(
      `update reply_media set media_number = 6, url = null, not_before = null where advisor_id = $1 and place = 2`,
    ),
  },
  {
    name: 'media that were fetched, said to be still to be fetched',
    names: 'entry 9 of advisor cat',
    before: replyWithMedia,
    tamper: of('update reply_media set media_number = null where advisor_id = $1'),
  },
  {
    name: 'the size of media',
    names: 'entry 9 of advisor cat',
    before: replyWithMedia,
    tamper: of('update reply_media set size = 0 where advisor_id = $1'),
  },
  {
    name: 'media that no entry tells of',
    names: 'entry 8 of advisor cat',
    before: replyWithMedia,
    tamper: of(
      `insert into reply_media select advisor_id, reply_number, 3, member_id, carrier_id, url, content_type, null, 0, 0, not_before, date_time_created
       from reply_media where advisor_id = $1 and place = 2`,
    ),
  },
  {
    name: 'a message without an entry',
    names: 'message',
    tamper: of(
      `insert into messages (advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, date_time_created)
       select advisor_id, message_id + 1000, member_id, kind, archive_number, 'failed', segments, encoding, date_time_created
       from messages where advisor_id = $1`,
    ),
  },
  {
    name: 'an attempt deleted',
    names: 'entry 6 of advisor cat',
    tamper: of('delete from attempts where advisor_id = $1'),
  },
  {
    name: 'an attempt added',
    names: 'entry 6 of advisor cat',
    tamper: of(
      `insert into attempts select advisor_id, message_id, 2, date_time_started, date_time_ended, outcome, code from attempts where advisor_id = $1`,
    ),
  },
  {
    name: 'an attempt that was not taken, made accepted',
    names: 'entry 6 of advisor cat',
    tamper: of(`update attempts set outcome = 'accepted' where advisor_id = $1`),
  },
  {
    name: 'the number of a message’s attempts',
    names: 'entry 6 of advisor cat',
    tamper: of('update messages set attempt = 1 where advisor_id = $1'),
  },
  {
    name: 'when a message was sent',
    names: 'entry 6 of advisor cat',
    tamper: of('update messages set date_time_sent = null where advisor_id = $1'),
  },
  {
    name: 'an advisor’s texting number',
    names: 'entry 1 of advisor cat',
    tamper: of(`update advisors set texting_number = '+15005552009' where advisor_id = $1`),
  },
  {
    name: 'the carrier of an advisor’s number',
    names: 'entry 1 of advisor cat',
    tamper: of('update advisors set carrier_id = null where advisor_id = $1'),
  },
  {
    name: 'a carrier without an entry',
    names: 'carrier',
    tamper: of(
      `insert into carriers (name, kind, date_time_created) select 'eve', 'smpp', now() where $1::bigint is not null`,
    ),
  },
  {
    name: 'the sandbox’s carrier, made another',
    names: 'carrier',
    tamper: of(`update carriers set kind = 'smpp' where $1::bigint is not null`),
  },
  {
    name: 'an advisor’s name',
    names: 'entry 1 of advisor cat',
    tamper: of(`update advisors set name = 'Carl' where advisor_id = $1`),
  },
  {
    name: 'whether an advisor needs consent',
    names: 'entry 1 of advisor cat',
    tamper: of('update advisors set consent_required = false where advisor_id = $1'),
  },
  {
    name: 'a firm’s name',
    names: 'entry 1 of advisor 0',
    tamper: of(`update firms set name = 'Other Wealth' where $1::bigint is not null`),
  },
  {
    name: 'a firm’s setting',
    names: 'entry 5 of advisor 0',
    tamper: of('update firms set first_text_line = true where $1::bigint is not null'),
  },
  {
    name: 'a staff member’s name',
    names: 'entry 2 of advisor 0',
    tamper: of(`update staff set name = 'Lee Kim' where $1::bigint is not null`),
  },
  {
    name: 'a staff member without an entry',
    names: 'staff',
    tamper: of(
      `insert into staff (firm_id, name, email, role, date_time_created) select firm_id, 'Eve', 'eve@test.example', 'reviewer', now() from advisors where advisor_id = $1`,
    ),
  },
  {
    name: 'a wording',
    names: 'entry 3 of advisor 0',
    tamper: of(`update wordings set text = 'Forged' where $1::bigint is not null`),
  },
  {
    name: 'a lexicon',
    names: 'entry 4 of advisor 0',
    tamper: of(`update lexicons set rules = '[]' where $1::bigint is not null`),
  },
  {
    name: 'an entry with an older date, before it is signed',
    names: 'entry 8 of advisor cat',
    tamper: async (target) => {
      await of(
        `insert into archive_entries select advisor_id, 8, kind, member_id, message_id, actor, trace_id, meta, commitment, '2024-06-01' from archive_entries where advisor_id = $1 and number = 1`,
        'insert into archive_bodies select advisor_id, 8, salt, body from archive_bodies where advisor_id = $1 and number = 1',
        'update archive_heads set last_number = 8 where advisor_id = $1',
      )(target);
      await target.sign();
    },
  },
];

/** One more text to the same person, who would have to consent again. */
async function waitingText({ sql, cat }: Target): Promise<void> {
  await sql(
    `insert into archive_entries (advisor_id, number, kind, member_id, message_id, actor, meta, commitment, date_time_created)
     select advisor_id, 8, kind, member_id, message_id + 1000, actor, (meta::jsonb || '{"awaitsConsent": true}')::text,
       commitment, now()
     from archive_entries where advisor_id = $1 and number = 6`,
    [cat],
  );
  await sql(
    'insert into archive_bodies select advisor_id, 8, salt, body from archive_bodies where advisor_id = $1 and number = 6',
    [cat],
  );
  await sql(
    `insert into messages (advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, date_time_created)
     select e.advisor_id, e.message_id, e.member_id, 'text', 8, 'awaiting_consent', 1, 'GSM-7', e.date_time_created
     from archive_entries e where e.advisor_id = $1 and e.number = 8`,
    [cat],
  );
  await sql('update archive_heads set last_number = 8 where advisor_id = $1', [cat]);
}

/** A reply with two pictures, of which the first has been fetched. */
async function replyWithMedia({ sql, cat }: Target): Promise<void> {
  const told = '"media":[{"contentType":"image/png"},{"contentType":"image/jpeg"}]';
  for (const [number, kind, meta] of [
    [8, 'text_in', `{"from":"${people.accepted}","to":"+15005552003",${told}}`],
    [9, 'media_in', '{"reply":8,"place":1,"contentType":"image/webp","size":5,"told":"image/png"}'],
  ] as const) {
    await sql(
      `insert into archive_entries (advisor_id, number, kind, member_id, actor, meta, commitment, date_time_created)
       select advisor_id, $2, $3, member_id, 'person', $4, commitment, now()
       from archive_entries where advisor_id = $1 and number = 6`,
      [cat, number, kind, meta],
    );
    await sql(
      'insert into archive_bodies select advisor_id, $2, salt, body from archive_bodies where advisor_id = $1 and number = 6',
      [cat, number],
    );
  }
  await sql(
    `insert into reply_media (
       advisor_id, reply_number, place, member_id, carrier_id, content_type, media_number, size, not_before, date_time_created
     )
     select advisor_id, 8, place, member_id, 1, type, fetched, size, not_before, now()
     from archive_entries,
       (values (1, 'image/png', 9, 5, null::timestamptz), (2, 'image/jpeg', null, 0, now()))
         as media (place, type, fetched, size, not_before)
     where advisor_id = $1 and archive_entries.number = 6`,
    [cat],
  );
  await sql('update archive_heads set last_number = 9 where advisor_id = $1', [cat]);
}

function of(...texts: string[]): Tampering['tamper'] {
  return async ({ sql, cat }) => {
    for (const text of texts) await sql(text, [cat]);
  };
}
