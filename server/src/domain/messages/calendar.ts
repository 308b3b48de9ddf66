import type { Deps } from '../../deps.ts';
import { type CalendarRow, listCalendar as listRows } from '../../store/messages/calendar.ts';
import { dayMs } from '../shared/time.ts';
import { nextOccurrences } from './recurrence.ts';

/** A scheduled text, with its dates in the time that was asked for. */
export type PlannedText = Omit<CalendarRow, 'firstDate' | 'timeZone'> & { dates: Date[] };

/** A month with the ends of the weeks around it. */
const calendarDaysMax = 45;
const plannedMax = 1_000;

/** What is to go out in that time, each repetition on its day. `isCut` tells that there is more than is listed. */
export async function listCalendar(
  { db }: Pick<Deps, 'db'>,
  advisorId: number,
  { from, until }: { from: Date; until: Date },
): Promise<{ data: PlannedText[]; isCut: boolean }> {
  const end = new Date(Math.min(until.getTime(), from.getTime() + calendarDaysMax * dayMs));
  const rows = await listRows(db, advisorId, { from, until: end, limit: plannedMax + 1 });
  const data = rows.slice(0, plannedMax).map(({ firstDate, timeZone, ...row }) => {
    const schedule = { firstDate, timeZone, frequency: row.frequency };
    const first = row.deliveryDate > from ? row.deliveryDate : from;
    const dates = nextOccurrences(schedule, first, calendarDaysMax + 1).filter((date) => date < end);
    return { ...row, dates };
  });
  return { data: data.filter(({ dates }) => dates.length > 0), isCut: rows.length > plannedMax };
}
