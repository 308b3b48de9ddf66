import type { Deps } from '../../deps.ts';
import { countTexts, type TextCounts } from '../../store/sandbox/texts.ts';

/** Of the day by the sandbox's clock, in this machine's time zone. */
export async function countTextsToday({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<TextCounts> {
  const since = clock.now();
  since.setHours(0, 0, 0, 0);
  return countTexts(db, since);
}
