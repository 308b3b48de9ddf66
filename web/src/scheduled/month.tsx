import './month.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow } from '../api/clock.ts';
import { calendarQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { PlannedText } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken } from '../look/parts.tsx';
import { useKeys } from '../shell/keys.ts';
import {
  type Day,
  dayAfter,
  dayOf,
  longDay,
  type Month as MonthOf,
  monthAfter,
  monthName,
  monthOf,
  weekdays,
  weeksOf,
} from '../words/months.ts';
import { phoneWords } from '../words/people.ts';
import { frequencyWords, instantOf } from '../words/schedules.ts';
import { clockTime } from '../words/times.ts';

/** As many as a day has room for. */
const shownMax = 3;
type Entry = { planned: PlannedText; at: number };

/** A month on its days, in the advisor's zone; on a phone the days that have something, one below the other. */
export default function Month({ edit }: { edit(planned: PlannedText): void }) {
  const { timeZone } = useAdvisor();
  const today = dayOf(useNow(), timeZone);
  const [month, setMonth] = useState<MonthOf>(() => monthOf(today));
  const [open, setOpen] = useState<Day | null>(null);
  const weeks = weeksOf(month);
  const [first = today, last = today] = [weeks[0]?.[0], weeks.at(-1)?.[6]];
  const start = (day: Day) => instantOf(`${day}T00:00`, timeZone) ?? 0;
  const { data, error, refetch } = useQuery(calendarQuery(start(first), start(dayAfter(last))));
  const entries = (data?.data ?? [])
    .flatMap((planned) => planned.dates.map((at) => ({ planned, at })))
    .sort((one, other) => one.at - other.at);
  const byDay = Map.groupBy(entries, ({ at }) => dayOf(at, timeZone));
  const move = (by: number) => setMonth(monthAfter(month, by));
  useKeys({ j: () => move(1), k: () => move(-1), t: () => setMonth(monthOf(today)) });
  const hasSome = entries.some(({ at }) => isIn(month, dayOf(at, timeZone)));

  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  return (
    <section className="month" aria-label={monthName(month)}>
      <header className="row">
        <h2 aria-live="polite">{monthName(month)}</h2>
        <Button kind="small end" onClick={() => setMonth(monthOf(today))}>
          Today
        </Button>
        <Button icon="chevron-left" kind="square small" aria-label="Previous month" onClick={() => move(-1)} />
        <Button icon="chevron-right" kind="square small" aria-label="Next month" onClick={() => move(1)} />
      </header>
      <table>
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} scope="col" abbr={name}>
                {name.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <DayCell
                  key={day}
                  day={day}
                  isToday={day === today}
                  isOther={!isIn(month, day)}
                  entries={byDay.get(day) ?? []}
                  edit={edit}
                  more={() => setOpen(day)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {data && !hasSome && <p className="soft none">Nothing goes out in {monthName(month)}.</p>}
      {data?.isCut && <p className="soft small">There is more than is shown here: the list has all of it.</p>}
      {open && (
        <Dialog close={() => setOpen(null)} title={longDay(open)}>
          <ul className="day-entries">
            {(byDay.get(open) ?? []).map((entry) => (
              <EntryButton
                key={entry.planned.scheduledMessageId}
                {...entry}
                edit={(planned) => {
                  setOpen(null);
                  edit(planned);
                }}
              />
            ))}
          </ul>
        </Dialog>
      )}
    </section>
  );
}

function DayCell({
  day,
  isToday,
  isOther,
  entries,
  edit,
  more,
}: {
  day: Day;
  isToday: boolean;
  isOther: boolean;
  entries: Entry[];
  edit(planned: PlannedText): void;
  more(): void;
}) {
  const name = isOther ? 'other' : entries.length === 0 ? 'empty' : '';
  // Where only one would be hidden, it takes the place of the button that says so.
  const shown = entries.length <= shownMax + 1 ? entries : entries.slice(0, shownMax);
  return (
    <td className={`${name} ${isToday ? 'today' : ''}`} aria-current={isToday ? 'date' : undefined}>
      <span className="date number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      <span className="long">
        {longDay(day)}
        {isToday && ', today'}
      </span>
      {entries.length > 0 && (
        <ul className="day-entries">
          {shown.map((entry) => (
            <EntryButton key={entry.planned.scheduledMessageId} {...entry} edit={edit} />
          ))}
          {entries.length > shown.length && (
            <li>
              <button type="button" className="more" onClick={more}>
                {(entries.length - shown.length).toLocaleString('en-US')} more
              </button>
            </li>
          )}
        </ul>
      )}
    </td>
  );
}

function EntryButton({ planned, at, edit }: Entry & { edit(planned: PlannedText): void }) {
  const { timeZone } = useAdvisor();
  const { name, phone, text, frequency } = planned;
  return (
    <li>
      <button type="button" className="entry" title={text} onClick={() => edit(planned)}>
        <span className="number time">{clockTime(at, timeZone)}</span>
        <span className="cut grow">{name ?? phoneWords(phone)}</span>
        {frequency !== 0 && (
          <span className="repeats">
            <Icon name="repeat" size={12} />
            <span className="hidden-visually">{frequencyWords[frequency]}</span>
          </span>
        )}
      </button>
    </li>
  );
}

function isIn({ year, month }: MonthOf, day: Day): boolean {
  const of = monthOf(day);
  return of.year === year && of.month === month;
}
