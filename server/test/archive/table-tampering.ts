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
