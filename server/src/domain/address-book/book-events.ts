import type { Deps } from '../../deps.ts';
import { insertEvents } from '../../store/events/new-events.ts';

/** The advisor's other browsers; partners have the feed of changes. */
export async function tellBook({ db, clock }: Pick<Deps, 'db' | 'clock'>, advisorId: number): Promise<void> {
  await insertEvents(db, [{ advisorId, type: 'book.changed' }], clock.now());
}
