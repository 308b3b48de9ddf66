/**
 * An advisor's head row numbers its entries and its events, and has the next free slot of its pace. It stays locked until the
 * transaction ends, so numbers have no gaps and are in the order of commits. A batch adds to each head once, and then a row
 * finds its number by its advisor's place among the heads: a join would compare every row with every head.
 */

/** A row that gets a number, and the seconds of the advisor's pace that it takes up, if it is a text with a slot. */
type NumberedRow = { advisorId: number; seconds?: number };

/**
 * Where each row stands (the place of its advisor among the heads, from 1; how many of that advisor's rows follow; the seconds from this
 * one on), and the advisors of all rows, each once, by id, with their totals.
 */
export function standingsOf(rows: NumberedRow[]) {
  const advisorIds = [...new Set(rows.map(({ advisorId }) => advisorId))].sort((a, b) => a - b);
  const totals = new Map(advisorIds.map((advisorId, index) => [advisorId, { place: index + 1, count: 0, seconds: 0 }]));
  const standings = rows.toReversed().map(({ advisorId, seconds = 0 }) => {
    const total = totals.get(advisorId) as { place: number; count: number; seconds: number };
    total.count += 1;
    total.seconds += seconds;
    return { place: total.place, after: total.count - 1, secondsLeft: total.seconds };
  });
  return {
    standings: standings.reverse(),
    advisorIds,
    counts: Array.from(totals.values(), ({ count }) => count),
    seconds: Array.from(totals.values(), ({ seconds }) => seconds),
  };
}

/**
 * SQL for the expressions of a `with`. `added` selects each advisor, by id, and how many entries and events are added. The
 * last expression, `ends`, has the last numbers of each, by place.
 */
export function endsOf(added: string): string {
  return `heads as (
       insert into archive_heads as head (advisor_id, last_number, last_event)
       ${added}
       on conflict (advisor_id) do update
       set last_number = head.last_number + excluded.last_number,
           last_event = head.last_event + excluded.last_event
       returning advisor_id, last_number, last_event
     ),
     ends as materialized (
       select
         array_agg(last_number order by advisor_id) as last_numbers, array_agg(last_event order by advisor_id) as last_events
       from heads
     )`;
}
