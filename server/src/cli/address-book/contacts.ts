import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { listSharedPhones, mergeContacts } from '../../domain/address-book/contact-merges.ts';
import { byOperator } from '../../domain/archive/archive.ts';
import { contactFormatOption } from '../files.ts';
import { type Verb, wholeNumber } from '../verb.ts';

const advisorOption = { value: 'EMAIL|ID', about: 'Whose book.', required: true } as const;

export const contactVerbs: Verb[] = [
  {
    name: 'contacts import',
    about: 'Import contacts from a CSV or vCard file. Says row by row what was refused and why; safe to run again.',
    operands: ['FILE'],
    options: {
      advisor: advisorOption,
      format: contactFormatOption,
      region: { value: 'CC', about: 'Where numbers without a country code are from; US by default.' },
    },
    // With these two come the parsers of files, which no other command waits for.
    run: async (call) => (await import('./contact-files.ts')).importFile(call),
  },
  {
    name: 'contacts export',
    about: 'Export contacts to a CSV or vCard file.',
    operands: ['FILE'],
    options: { advisor: advisorOption, format: contactFormatOption },
    run: async (call) => (await import('./contact-files.ts')).exportFile(call),
  },
  {
    name: 'contacts duplicates',
    about: 'List the numbers that more than one contact has.',
    operands: [],
    options: { advisor: advisorOption },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      out.records(await listSharedPhones(runtime, advisorId));
    },
  },
  {
    name: 'contacts merge',
    about: 'Make one contact of two: KEEP takes from OTHER what it lacks, and OTHER goes. Consent is not touched.',
    operands: ['KEEP', 'OTHER'],
    options: { advisor: advisorOption },
    run: async ({ runtime, operands, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      const keep = wholeNumber('KEEP', operands.KEEP ?? '');
      const merge = wholeNumber('OTHER', operands.OTHER ?? '');
      const contact = await mergeContacts(runtime, advisorId, { keep, merge }, byOperator);
      out.records(Object.entries(contact).map(([field, value]) => ({ field, value })));
    },
  },
];
