import { getAdvisor } from '../../domain/accounts/advisors.ts';
import {
  connectCrm,
  disconnectCrm,
  getCrmConnection,
  listCrmConnections,
} from '../../domain/address-book/crm-connections.ts';
import { newSigningSecret } from '../../domain/shared/secrets.ts';
import { always, type Call, secretFromStdin, type Verb } from '../verb.ts';

const advisorOption = { value: 'EMAIL|ID', about: 'The advisor whose CRM it is.', required: true } as const;

export const crmVerbs: Verb[] = [
  {
    name: 'crm connect',
    about: 'Connect an advisor’s CRM, where numbers that texting makes known are looked up; replaces the current one.',
    options: {
      advisor: advisorOption,
      url: { value: 'URL', about: 'The address that answers lookups.', required: true },
      'secret-stdin': {
        about:
          'Read the signing secret from stdin, and check first that the CRM answers. Without it, one is generated.',
      },
      'no-check': { about: 'Connect without checking the CRM first.' },
    },
    examples: ['crm connect --advisor avery@sandbox.example --url https://crm.example/assent'],
    run: connect,
  },
  {
    name: 'crm list',
    about: 'List the connected CRMs.',
    run: async ({ runtime, out }) => out.records(await listCrmConnections(runtime)),
  },
  {
    name: 'crm show',
    about: 'Show an advisor’s CRM, how many lookups wait, and why the last one failed, if it did.',
    options: { advisor: advisorOption },
    run: show,
  },
  {
    name: 'crm disconnect',
    about: 'Disconnect an advisor’s CRM and delete its secret. Contacts from it stay.',
    options: { advisor: advisorOption },
    isFinal: always,
    run: async ({ runtime, options }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      await disconnectCrm(runtime, advisorId);
    },
    says: 'Disconnected.',
  },
];

async function connect(call: Call): Promise<void> {
  const { runtime, options, switches, out } = call;
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const given = await secretFromStdin(call, 'secret-stdin');
  const access = { url: options.url ?? '', secret: given ?? newSigningSecret() };
  // The CRM can't know a new secret yet.
  const check = given !== undefined && !switches.has('no-check');
  out.records([await connectCrm(runtime, advisorId, access, { check })]);
  if (given === undefined) out.note(`The signing secret, shown only this once:\n${access.secret}`);
}

async function show({ runtime, options, json, out }: Call): Promise<void> {
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const connection = await getCrmConnection(runtime, advisorId);
  if (json) return out.records([connection]);
  out.records(Object.entries(connection).map(([setting, value]) => ({ setting, value })));
}
