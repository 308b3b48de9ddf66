import { byOperator } from '../../domain/archive/archive.ts';
import { reconcile } from '../../domain/record-keeping/reconciliation.ts';
import { dayMs, dayOf } from '../../domain/shared/time.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';

export const reconciliationVerbs: Verb[] = [
  {
    name: 'archive reconcile',
    about:
      'Compare a day’s carrier records, attempts, messages, replies and archive entries, both ways. Every day is compared automatically. Exits with 1 if something is missing or different.',
    operands: [],
    options: { day: { value: 'YYYY-MM-DD', about: 'The day, in UTC; yesterday by default.' } },
    isLong: true,
    run: reconcileNow,
  },
];

async function reconcileNow({ runtime, options, json, out }: Call): Promise<void> {
  const day = options.day ?? dayOf(new Date(runtime.clock.now().getTime() - dayMs));
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || dayOf(date) !== day)
    throw new UsageError(`--day must be a date such as 2031-05-04, not "${day}".`);
  const found = await reconcile(runtime, { firstDay: day, lastDay: day }, byOperator);
  const { carrier, counts, discrepancies, first } = found;
  if (json) out.records([found]);
  else {
    out.records([counts]);
    if (first.length > 0) out.records(first);
  }
  if (!carrier)
    out.note('The carrier keeps no records, or no carrier is connected: only our own records were compared.');
  out.note(discrepancies === 0 ? `${day}: everything agrees.` : `${day}: ${discrepancies} discrepancies.`);
  if (discrepancies > 0) out.exitCode = 1;
}
