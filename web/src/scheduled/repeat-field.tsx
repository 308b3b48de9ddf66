import type { Frequency } from '../api/types.ts';
import { frequencyWords } from '../words/schedules.ts';

export function RepeatField({ frequency, choose }: { frequency: Frequency; choose(frequency: Frequency): void }) {
  return (
    <label className="label">
      Repeat
      <select
        className="plain-field"
        value={frequency}
        onChange={({ target }) => choose(Number(target.value) as Frequency)}
      >
        {Object.entries(frequencyWords).map(([value, word]) => (
          <option value={value} key={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
