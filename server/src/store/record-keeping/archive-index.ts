import type { EntrySpan } from '../archive/archive.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors, forAllAdvisors } from '../database/for-advisors.ts';

/** Longer texts, such as those of large imports, are found by how they begin. */
const searchedLengthMax = 50_000;

/** The entries that can't be searched yet. Spans advisors: one job is for all of them. */
export async function listUnindexed(db: Db, advisorsMax: number): Promise<EntrySpan[]> {
  const spans = await forAllAdvisors(db, (db) =>
    db.query<EntrySpan>(
      `select h.advisor_id as "advisorId", coalesce(i.last_number, 0) as after, h.last_number as "upTo"
       from archive_heads h
       left join archive_indexed i using (advisor_id)
       where h.last_number > coalesce(i.last_number, 0)
       order by h.advisor_id
       limit $1`,
      [advisorsMax],
      'list-unindexed',
    ),
  );
  return spans.slice(0, advisorsMax);
}

/** When the first of a firm's entries that can't be searched yet was written; null if all can. Spans advisors: it is about a firm's. */
export async function findFirstUnindexed(db: Db, firmId: number): Promise<Date | null> {
  return db.value(
    `select min(e.date_time_created) as "dateTime"
     from advisors a
     join archive_heads h on h.advisor_id = a.advisor_id
     left join archive_indexed i on i.advisor_id = h.advisor_id
     join archive_entries e on e.advisor_id = h.advisor_id and e.number = coalesce(i.last_number, 0) + 1
     where a.firm_id = $1 and h.last_number > coalesce(i.last_number, 0)`,
    [firmId],
    'find-first-unindexed',
  );
}

/**
 * Everything that is in no word, by its code: signs, white space, symbols. By itself, PostgreSQL takes `buy/sell`, `it.Sell` and `-5` for
 * one word each, and what it takes curly quotes for depends on the database's locale.
 */
const signs =
  '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7' +
  '\\u2000-\\u200b\\u200e-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u3000-\\u3003\\u3008-\\u3020\\u30fb\\ufe00-\\ufe0f' +
  '\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\U0001f000-\\U0001faff]+';

/** The words of a text with spaces in between and without accents, for the index as for what is looked for in it. */
export const wordsIn = (text: string) => `regexp_replace(
  case
    when octet_length(${text}) = length(${text}) then ${text}
    else regexp_replace(normalize(${text}, nfkd), '[\\u0300-\\u036f]', '', 'g')
  end,
  '${signs}', ' ', 'g'
)`;

/**
 * Whose archive an entry `e` is in: the firm of its advisor `a`. One in the deployment's own book is the firm's that it names, or that its
 * staff belong to; any other is nobody's.
 */
export const firmOf = `coalesce(
  a.firm_id,
  (e.meta::json ->> 'firmId')::bigint,
  (select firm_id from staff where staff_id = (e.meta::json ->> 'staffId')::bigint)
)`;

type EntryText = { advisorId: number; number: number; text: string };

/**
 * The entries of `span`, with what they say in `said.text`. What became of a text has no words of its own. Bodies that are no text are
 * JSON, without the names of its fields.
 */
const entriesOf = `from span
       -- By itself, so that the key finds a span and PostgreSQL never joins it with all of the advisor's archive.
       cross join lateral (
         select *
         from archive_entries e
         where e.advisor_id = span.advisor_id and e.number > span.after and e.number <= span.up_to and e.kind <> 'outcome'
         order by e.number
       ) as e
       left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
       cross join lateral (
         select coalesce(
           case
             when e.kind = 'media_in' then ''
             when e.kind in ('text_out', 'text_in', 'review') then left(convert_from(b.body, 'UTF8'), $4)
             else regexp_replace(left(convert_from(b.body, 'UTF8'), $4), '"[A-Za-z]+":|\\\\[nrt]', ' ', 'g')
           end,
           ''
         ) as text
       ) as said`;

const spanOf = `
       select *
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as span (advisor_id, after, up_to)`;

const valuesOf = (spans: EntrySpan[]) => [...columnsOf(spans, 'advisorId', 'after', 'upTo'), searchedLengthMax];

/** How much text these entries have, as far as it is searched. */
export async function countBytes(db: Db, spans: EntrySpan[]): Promise<number> {
  const counts = await forAdvisors(db, spans, (db, spans) =>
    db.query<{ bytes: number }>(
      `with span as materialized (${spanOf}
       )
       select coalesce(sum(least(b.bytes, $4)), 0)::integer as bytes
       from span
       cross join lateral (
         select octet_length(body) as bytes
         from archive_bodies
         where advisor_id = span.advisor_id and number > span.after and number <= span.up_to
         order by number
       ) as b`,
      valuesOf(spans),
      'count-unindexed-bytes',
    ),
  );
  return counts.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Of these entries, the texts with at least as many digits as a social-security number has. Those in other scripts may have other digits. */
export async function listTextsWithDigits(db: Db, spans: EntrySpan[]): Promise<EntryText[]> {
  return forAdvisors(db, spans, (db, spans) =>
    db.query<EntryText>(
      `with span as materialized (${spanOf}
       )
       select e.advisor_id as "advisorId", e.number, said.text
       ${entriesOf}
       where octet_length(said.text) <> length(said.text)
         or length(said.text) - length(translate(said.text, '0123456789', '')) >= 9`,
      valuesOf(spans),
      'list-texts-with-digits',
    ),
  );
}

/** Makes these entries searchable, by these texts where one is given. Two nodes may do the same at a time. */
export async function indexEntries(db: Db, spans: EntrySpan[], texts: EntryText[]): Promise<void> {
  await forAdvisors(db, spans, (db, spans) =>
    db.write(
      `with span as materialized (${spanOf}
       ),
       indexed as (
         insert into archive_indexed as known (advisor_id, last_number)
         select advisor_id, up_to
         from span
         order by advisor_id
         on conflict (advisor_id) do update
         set last_number = excluded.last_number
         where known.last_number < excluded.last_number
       )
       insert into archive_words (firm_id, date_time_created, advisor_id, number, words)
       select
         its.firm_id, date_trunc('milliseconds', e.date_time_created), e.advisor_id, e.number,
         strip(to_tsvector('simple', ${wordsIn('coalesce(given.text, said.text)')})) || array_to_tsvector(array_remove(
           array['=f' || its.firm_id, '=a' || e.advisor_id, '=k' || e.kind, '=m' || e.member_id], null
         ))
       ${entriesOf}
       left join advisors a on a.advisor_id = span.advisor_id
       cross join lateral (select ${firmOf} as firm_id) as its
       left join unnest($5::bigint[], $6::bigint[], $7::text[]) as given (advisor_id, number, text)
         on given.advisor_id = e.advisor_id and given.number = e.number
       where its.firm_id is not null
       on conflict do nothing`,
      [...valuesOf(spans), ...columnsOf(texts, 'advisorId', 'number', 'text')],
      'index-entries',
    ),
  );
}
