import { byOperator } from '../../domain/archive/archive.ts';
import { type Disposal, dispose, getRetention, setRetention } from '../../domain/record-keeping/retention.ts';
import { type Call, firmIn, type Verb, wholeNumber } from '../verb.ts';

export const retentionVerbs: Verb[] = [
  {
    name: 'retention show',
    about: 'Show how many years a firm keeps the bodies of its records, and from when fewer that were set count.',
    operands: ['FIRM'],
    run: async ({ runtime, operands, out }) => out.records([await getRetention(runtime, firmIn(operands))]),
  },
  {
    name: 'retention set',
    about:
      'Change how many years a firm keeps the bodies of its records, including existing ones: fewer in seven days.',
    operands: ['FIRM'],
    options: { years: { value: 'N', about: 'Whole years, 1 to 100; 7 by default.', required: true } },
    run: async ({ runtime, operands, options, out }) => {
      const years = wholeNumber('--years', options.years ?? '');
      out.records([await setRetention(runtime, firmIn(operands), years)]);
    },
  },
  {
    name: 'archive dispose',
    about:
      'Remove the bodies of records whose retention has ended, unless a hold keeps them. Runs automatically once a day; the entries stay.',
    options: { 'dry-run': { about: 'Only show what would be removed.' } },
    examples: ['archive dispose --dry-run', 'archive dispose --yes'],
    isLong: true,
    isFinal: ({ switches }) => !switches.has('dry-run'),
    run: disposeNow,
  },
];

async function disposeNow({ runtime, switches, out }: Call): Promise<void> {
  const dryRun = switches.has('dry-run');
  const disposals: Disposal[] = [];
  const report = (disposal: Disposal) => disposals.push(disposal);
  const progress = (done: number) => out.progress(dryRun ? 'Checking' : 'Disposing', done, null);
  const { disposed, kept } = await dispose(runtime, { by: byOperator, dryRun, report, progress });
  if (disposals.length > 0) out.records(disposals);
  out.note(
    `Bodies ${dryRun ? 'that would be removed' : 'removed'}: ${disposed}. Past their retention, but kept: ${kept}.`,
  );
}
