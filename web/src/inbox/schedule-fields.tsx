import { useState } from 'react';
import { now } from '../api/clock.ts';
import { useAdvisor } from '../api/session.ts';
import type { Frequency } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Field } from '../look/fields.tsx';
import { RepeatField } from '../scheduled/repeat-field.tsx';
import { dayAfter, dayOf } from '../words/months.ts';
import { instantOf, nextTimes, wallTime } from '../words/schedules.ts';
import { cityOf, dayName, whenTime } from '../words/times.ts';

export type Schedule = { at: number; frequency: Frequency };
const dayMs = 24 * 60 * 60 * 1000;
const shownTimes = 5;
const daysAheadMax = 731;

/** When, how often, and the next times that this means. */
export default function ScheduleFields({
  given,
  choose,
  clear,
}: {
  given: Schedule | null;
  choose(schedule: Schedule): void;
  clear?(): void;
}) {
  const { timeZone } = useAdvisor();
  const [wall, setWall] = useState(() => (given ? wallTime(given.at, timeZone) : morning(1, timeZone)));
  const [frequency, setFrequency] = useState<Frequency>(given?.frequency ?? 0);
  const at = instantOf(wall, timeZone);
  const wrong = wrongWith(at);
  const times = at && !wrong ? nextTimes(at, frequency, timeZone, shownTimes) : [];
  return (
    <form
      className="schedule"
      onSubmit={(event) => {
        event.preventDefault();
        if (at && !wrong) choose({ at, frequency });
      }}
    >
      <div className="row wrap">
        {[1, 2, 7].map((days) => (
          <Button kind="small" key={days} onClick={() => setWall(morning(days, timeZone))} title="At 9:00 AM">
            {dayName(instantOf(morning(days, timeZone), timeZone) ?? 0, now(), timeZone).split(',')[0]}
            {days === 7 && ' in a week'}
          </Button>
        ))}
      </div>
      <Field
        label={`Date and time in ${cityOf(timeZone)}`}
        type="datetime-local"
        value={wall}
        min={wallTime(now(), timeZone)}
        required
        set={setWall}
        wrong={wrong}
      />
      <RepeatField frequency={frequency} choose={setFrequency} />
      {frequency !== 0 && times.length > 0 && (
        <div className="small soft">
          Next times
          <ol className="number">
            {times.map((each) => (
              <li key={each}>{whenTime(each, now(), timeZone)}</li>
            ))}
          </ol>
        </div>
      )}
      <div className="buttons">
        {clear && (
          <Button kind="quiet" onClick={clear}>
            Send now instead
          </Button>
        )}
        <button type="submit" className="button main" disabled={!at || !!wrong}>
          Set
        </button>
      </div>
    </form>
  );
}

function wrongWith(at: number | null): string | null {
  if (at === null) return 'Choose a date and a time.';
  if (at <= now()) return 'This is in the past.';
  return at > now() + daysAheadMax * dayMs ? 'This is more than two years ahead.' : null;
}

/** 9:00 in so many days, of which one may have 23 or 25 hours. */
function morning(days: number, timeZone: string): string {
  return `${dayAfter(dayOf(now(), timeZone), days)}T09:00`;
}
