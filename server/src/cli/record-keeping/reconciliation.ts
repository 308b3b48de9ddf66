import { byOperator } from '../../domain/archive/archive.ts';
import { listCarriers } from '../../domain/carriers/carriers.ts';
import { reconcile } from '../../domain/record-keeping/reconciliation.ts';
import { dayMs, dayOf } from '../../domain/shared/time.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';

/** As of `archive verify`. */
const cantTell = 3;

export const reconciliationVerbs: Verb[] = [
  {
    name: 'archive reconcile',
    about:
      'Compare a day’s texts with the carriers’ records, both ways, and show the texts in doubt. Runs automatically every day. Exits with 0 if everything agrees, 1 if something is missing or different, 3 if it couldn’t look.',
    options: { day: { value: 'YYYY-MM-DD', about: 'The day, in UTC; yesterday by default.' } },
    examples: ['archive reconcile --day 2026-03-02'],
    isLong: true,
    failsWith: cantTell,
    run: reconcileNow,
  },
];

async function reconcileNow({ runtime, options, json, out }: Call): Promise<void> {
  const day = options.day ?? dayOf(new Date(runtime.clock.now().getTime() - dayMs));
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || dayOf(date) !== day)
    throw new UsageError(`--day must be a date such as 2031-05-04, not "${day}".`);
  if (date > runtime.clock.now()) throw new UsageError(`${day} has not begun: there is nothing to compare yet.`);
  const progress = (done: number) => out.progress('Comparing', done, null);
  const found = await reconcile(runtime, { firstDay: day, lastDay: day }, byOperator, progress);
  const { counts, doubts, discrepancies, first } = found;
  if (json) out.records([found]);
  else {
    out.records([counts]);
    if (doubts.length > 0) out.records(doubts);
    if (first.length > 0) out.records(first);
  }
  for (const line of await carrierLines(runtime)) out.note(line);
  if (counts.inDoubt > 0) out.note(`${day}: ${counts.inDoubt} texts are in doubt.`);
  out.note(discrepancies === 0 ? `${day}: everything agrees.` : `${day}: ${discrepancies} discrepancies.`);
  if (discrepancies > 0) out.exitCode = 1;
}

/** Whose records were compared, and whose weren't, by name. */
async function carrierLines(runtime: Call['runtime']): Promise<string[]> {
  const open = new Map(runtime.carriers.list().map((each) => [each.carrierId, each.carrier]));
  const names = Map.groupBy(await listCarriers(runtime), ({ carrierId }) => {
    const carrier = open.get(carrierId);
    if (!carrier) return 'Not compared, since they are disabled or can’t be opened';
    return carrier.records ? 'Compared with the records of' : 'Not compared, since they keep no records';
  });
  return [...names].map(([what, carriers]) => `${what}: ${carriers.map(({ name }) => name).join(', ')}.`);
}
