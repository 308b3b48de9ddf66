import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { listSharedPhones, mergeContacts } from '../../domain/address-book/contact-merges.ts';
import { byOperator } from '../../domain/archive/archive.ts';
import { contactFormatOption } from '../files.ts';
import { always, type Verb, wholeNumber } from '../verb.ts';

const advisorOption = { value: 'EMAIL|ID', about: 'The advisor whose book it is.', required: true } as const;

export const contactVerbs: Verb[] = [
  {
    name: 'contacts import',
    about:
      'Import contacts from any program’s CSV or vCard file. Lists each refused contact with the reason. Safe to run again.',
    operands: ['FILE'],
    options: {
      advisor: advisorOption,
      format: contactFormatOption,
      region: {
        value: 'CC',
        about: 'Country of numbers and dates; by default that of the advisor’s texting number, or else US.',
      },
      'dry-run': { about: 'Only show what would be imported, updated, skipped, refused and left out.' },
    },
    examples: [
      'contacts import people.csv --advisor avery@sandbox.example --dry-run',
      'contacts import people.csv --advisor avery@sandbox.example',
    ],
    // These two verbs load the file parsers on demand, so other verbs start faster.
    run: async (call) => (await import('./contact-files.ts')).importFile(call),
  },
  {
    name: 'contacts export',
    about: 'Export contacts to a CSV file, with their ids and groups.',
    operands: ['FILE'],
    options: { advisor: advisorOption },
    examples: ['contacts export people.csv --advisor avery@sandbox.example'],
    isLong: true,
    run: async (call) => (await import('./contact-files.ts')).exportFile(call),
  },
  {
    name: 'contacts duplicates',
    about: 'List the numbers that several contacts share.',
    options: { advisor: advisorOption },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      out.records(await listSharedPhones(runtime, advisorId));
    },
  },
  {
    name: 'contacts merge',
    about: 'Merge two contacts: KEEP takes what it lacks from OTHER, and OTHER is deleted. Consent is not changed.',
    operands: ['KEEP', 'OTHER'],
    options: { advisor: advisorOption },
    isFinal: always,
    run: async ({ runtime, operands, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      const keep = wholeNumber('KEEP', operands.KEEP ?? '');
      const merge = wholeNumber('OTHER', operands.OTHER ?? '');
      const contact = await mergeContacts(runtime, advisorId, { keep, merge }, byOperator);
      out.records(Object.entries(contact).map(([field, value]) => ({ field, value })));
    },
  },
];
