import { setImmediate as turn } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { type CalendarRow, listCalendar as listRows } from '../../store/messages/calendar.ts';
import { dayMs } from '../shared/time.ts';
import { occurrencesBetween } from './recurrence.ts';

/** A scheduled text, with its dates in the time that was asked for. */
type PlannedText = Omit<CalendarRow, 'firstDate' | 'timeZone'> & { dates: Date[] };

/** A month with the ends of the weeks around it. */
const calendarDaysMax = 45;
const plannedMax = 1_000;
/** Between so many, others get their turn: the dates of a thousand daily texts take most of a second. */
const atOnce = 50;

/** What is to go out in that time, each repetition on its day. `isCut` tells that there is more than is listed. */
export async function listCalendar(
  { db }: Pick<Deps, 'db'>,
  advisorId: number,
  { from, until }: { from: Date; until: Date },
): Promise<{ data: PlannedText[]; isCut: boolean }> {
  const end = new Date(Math.min(until.getTime(), from.getTime() + calendarDaysMax * dayMs));
  const rows = await listRows(db, advisorId, { from, until: end, limit: plannedMax + 1 });
  const data: PlannedText[] = [];
  for (const { firstDate, timeZone, ...row } of rows.slice(0, plannedMax)) {
    if (data.length % atOnce === 0) await turn();
    const schedule = { firstDate, timeZone, frequency: row.frequency };
    const first = row.deliveryDate > from ? row.deliveryDate : from;
    data.push({ ...row, dates: occurrencesBetween(schedule, first, end) });
  }
  return { data: data.filter(({ dates }) => dates.length > 0), isCut: rows.length > plannedMax };
}
