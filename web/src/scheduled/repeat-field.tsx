import type { Frequency } from '../api/types.ts';
import { Choice } from '../look/fields.tsx';
import { frequencyWords } from '../words/schedules.ts';

export function RepeatField({ frequency, choose }: { frequency: Frequency; choose(frequency: Frequency): void }) {
  return (
    <Choice
      label="Repeat"
      value={frequency}
      choose={(value) => choose(Number(value) as Frequency)}
      options={Object.entries(frequencyWords)}
    />
  );
}
