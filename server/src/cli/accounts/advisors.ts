import { type Advisor, addAdvisor, getAdvisor, listAdvisors, setAdvisor } from '../../domain/accounts/advisors.ts';
import { inviteAdvisor } from '../../domain/sign-in/invitations.ts';
import {
  type Call,
  firmIn,
  isYes,
  type Option,
  requireChange,
  secretFromStdin,
  type Verb,
  wholeNumber,
  yesOrNo,
} from '../verb.ts';

const settings: Record<string, Option> = {
  name: { value: 'TEXT', about: 'The advisor’s name.' },
  email: { value: 'ADDRESS', about: 'The address the advisor signs in with.' },
  'texting-number': { value: 'E164', about: 'The number that texts are sent from.' },
  'time-zone': { value: 'ZONE', about: 'For example America/New_York.' },
  'consent-required': { oneOf: yesOrNo, about: 'Whether a text needs the person’s consent.' },
  'consent-collection': { oneOf: yesOrNo, about: 'Whether the account is set up to collect consent.' },
  'quiet-hours': {
    value: 'off|defer|refuse',
    about: 'What to do with a text outside 8:00 to 21:00 in the recipient’s time zone; off by default.',
  },
  'texting-pace': { value: 'N|unlimited', about: 'Texts per second from the number; unlimited by default.' },
  disabled: { oneOf: yesOrNo, about: 'Whether the account is refused everywhere.' },
};

const passwordOption: Option = { about: 'Read the advisor’s sign-in password from stdin.' };

export const advisorVerbs: Verb[] = [
  {
    name: 'advisors add',
    about: 'Add an advisor to a firm.',
    operands: ['FIRM'],
    options: {
      ...settings,
      name: { value: 'TEXT', about: 'The advisor’s name.', required: true },
      email: { value: 'ADDRESS', about: 'The address the advisor signs in with.', required: true },
      'password-stdin': passwordOption,
    },
    examples: ["advisors add 1 --name 'Avery Hill' --email avery@example.com --time-zone America/New_York"],
    run: async (call) => {
      const { name = '', email = '' } = call.options;
      const firmId = firmIn(call.operands);
      const input = {
        ...settingsOf(call),
        name,
        email,
        firmId,
        password: await secretFromStdin(call, 'password-stdin'),
      };
      call.out.records([await addAdvisor(call.runtime, input)]);
    },
  },
  {
    name: 'advisors invite',
    about:
      'Print a link where an advisor can choose a password: for the first sign-in, or a forgotten password. It works once, for 24 hours.',
    operands: ['ADVISOR'],
    run: async ({ runtime, operands, out }) => {
      const { advisorId, email } = await getAdvisor(runtime, operands.ADVISOR ?? '');
      const { link, expires } = await inviteAdvisor(runtime, advisorId);
      out.note(`For ${email} alone, until ${expires.toISOString()}. Links from before no longer work.`);
      out.line(link);
    },
  },
  {
    name: 'advisors list',
    about: 'List the advisors.',
    run: async ({ runtime, out }) => out.records((await listAdvisors(runtime)).map(brief)),
  },
  {
    name: 'advisors show',
    about: 'Show an advisor with every setting.',
    operands: ['ADVISOR'],
    run: async ({ runtime, operands, out }) => showAdvisor(await getAdvisor(runtime, operands.ADVISOR ?? ''), out),
  },
  {
    name: 'advisors set',
    about: 'Change an advisor’s settings.',
    operands: ['ADVISOR'],
    options: { ...settings, 'password-stdin': passwordOption },
    examples: ['advisors set avery@sandbox.example --quiet-hours defer'],
    run: async (call) => {
      const change = { ...settingsOf(call), password: await secretFromStdin(call, 'password-stdin') };
      requireChange(change);
      const { advisorId } = await getAdvisor(call.runtime, call.operands.ADVISOR ?? '');
      await setAdvisor(call.runtime, advisorId, change);
      showAdvisor(await getAdvisor(call.runtime, String(advisorId)), call.out);
    },
  },
];

function settingsOf({ options }: Call) {
  const given = {
    name: options.name,
    email: options.email,
    textingNumber: options['texting-number'],
    timeZone: options['time-zone'],
    consentRequired: isYes(options['consent-required']),
    consentCollection: isYes(options['consent-collection']),
    // The domain checks the value.
    quietHours: options['quiet-hours'] as Advisor['quietHours'] | undefined,
    textingPace: paceOf(options['texting-pace']),
    disabled: isYes(options.disabled),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<typeof given>;
}

/** Null means no limit, undefined means not given. */
function paceOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return text === 'unlimited' ? null : wholeNumber('--texting-pace', text);
}

function brief({ advisorId, firmId, name, email, textingNumber, timeZone, disabled }: Advisor) {
  return { advisorId, firmId, name, email, textingNumber, timeZone, disabled };
}

function showAdvisor(advisor: Advisor, out: Call['out']): void {
  out.records(Object.entries(advisor).map(([setting, value]) => ({ setting, value })));
}
