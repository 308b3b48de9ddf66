import type { Db } from '../database/db.ts';
import { runsOfLeaves } from './archive-tree.ts';
import { boundsOf, type Difference, onPage, type RowPage } from './comparisons.ts';

/**
 * Entries to compare with the table: leaves from `from` up to but not including `to`, or those that are not in the tree yet. In the
 * order of the tree, what is read together was written together: by advisor, each row would be on another page of the disk.
 */
export type Entries = { from: number; to: number } | 'pending';

// The offsets keep PostgreSQL from going through all entries: it looks for those of each run or advisor.
const inTree = `(
       ${runsOfLeaves}
     ) as r
     cross join lateral (
       select *
       from archive_entries
       where advisor_id = r.advisor_id
         and number >= r.first_number + greatest(0, $1 - r.first_leaf)
         and number < r.first_number + least(r.entries, $2 - r.first_leaf)
       offset 0
     ) as e`;
const notInTree = `archive_heads h
     left join archive_taken k on k.advisor_id = h.advisor_id
     cross join lateral (
       select *
       from archive_entries
       where advisor_id = h.advisor_id and number > coalesce(k.last_number, 0)
       offset 0
     ) as e`;

/** SQL for these entries `e`, and its parameters, which come first. */
function selected(entries: Entries): { from: string; values: number[] } {
  return entries === 'pending' ? { from: notInTree, values: [] } : { from: inTree, values: [entries.from, entries.to] };
}

/** A number in the meta of an entry. Not by json_to_record, which a distributed database doesn't take in what spans nodes. */
const fact = (name: string) => `(e.meta::json ->> '${name}')::bigint`;

/** SQL for whether entry `e` is about media, or a reply that came with some. */
const tellsOfMedia = `(e.kind = 'media_in' or (e.kind = 'text_in' and e.meta like '%"media":%'))`;

/**
 * Entries of media, and of replies that came with some, whose rows are not there or say something else. Spans advisors: a
 * verification looks at everything.
 */
export async function listUnmatchedMediaEntries(db: Db, entries: Entries, limit: number): Promise<Difference[]> {
  const { from, values } = selected(entries);
  return db.query<Difference>(
    `select said.advisor_id as "advisorId", said.number, said.reply as id,
       case
         when m.place is null then 'removed'
         when m.member_id is distinct from said.member_id then 'person'
         when m.content_type is distinct from said.content_type then 'type'
         else 'entry'
       end as what
     from (
       select e.advisor_id, e.number, e.member_id,
         case e.kind when 'media_in' then ${fact('reply')} else e.number end as reply,
         case e.kind when 'media_in' then ${fact('place')} else media.place end as place,
         coalesce(item ->> 'told', item ->> 'contentType') as content_type,
         case e.kind when 'media_in' then e.number end as media_number
       from ${from}
       cross join lateral json_array_elements(
         case e.kind when 'media_in' then json_build_array(e.meta::json) else e.meta::json -> 'media' end
       ) with ordinality as media (item, place)
       where ${tellsOfMedia}
     ) as said
     left join reply_media m
       on m.advisor_id = said.advisor_id and m.reply_number = said.reply and m.place = said.place
     where (m.member_id, m.content_type) is distinct from (said.member_id, said.content_type)
       or m.media_number <> said.media_number
       or (m.media_number is null and said.media_number is not null)
     limit $${values.length + 1}`,
    [...values, limit],
  );
}

/**
 * Media that no entry of a reply tells of, or whose own entry is another's or has other bytes. Spans advisors: a
 * verification looks at everything.
 */
export async function listUnmatchedMedia(db: Db, page: RowPage, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select m.advisor_id as "advisorId", m.media_number as number, m.reply_number as id,
       case
         when coalesce(json_array_length(r.media), 0) < m.place then 'added'
         when (e.reply, e.place) is distinct from (m.reply_number, m.place::bigint) then 'entry'
         else 'size'
       end as what
     from reply_media m
     left join lateral (
       select meta::json -> 'media' as media
       from archive_entries
       where advisor_id = m.advisor_id and number = m.reply_number and kind = 'text_in'
     ) as r on true
     left join lateral (
       select ${fact('reply')} as reply, ${fact('place')} as place, ${fact('size')} as size
       from archive_entries e
       where e.advisor_id = m.advisor_id and e.number = m.media_number and e.kind = 'media_in'
     ) as e on true
     where ${onPage('m.advisor_id, m.reply_number')}
       and (
         coalesce(json_array_length(r.media), 0) < m.place
         or (
           m.media_number is not null
           and (e.reply, e.place, coalesce(e.size, 0)) is distinct from (m.reply_number, m.place::bigint, m.size)
         )
       )
     limit $5`,
    [...boundsOf(page), limit],
  );
}
