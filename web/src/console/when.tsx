import { useNow } from '../api/clock.ts';
import { Time } from '../look/parts.tsx';
import { pastTime } from '../words/times.ts';

/** A moment that the server sent, short, with all of it and UTC behind it. */
export function When({ at, never = '–' }: { at: string | null; never?: string }) {
  const now = useNow();
  if (at === null) return <span className="soft">{never}</span>;
  const moment = Date.parse(at);
  return <Time at={moment}>{pastTime(moment, now)}</Time>;
}
