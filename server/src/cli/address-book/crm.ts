import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import {
  type CrmConnection,
  connectCrm,
  disconnectCrm,
  getCrmConnection,
  listCrmConnections,
  resealSecrets,
} from '../../domain/address-book/crm-connections.ts';
import { type CrmSync, listFindings, listSyncs, syncCrm } from '../../domain/address-book/crm-syncs.ts';
import { type CrmAccess, crmKinds } from '../../domain/ports.ts';
import { contactFormatOf, contactFormatOption } from '../files.ts';
import { inOneLine } from '../terminal.ts';
import { type Call, secretFromStdin, UsageError, type Verb, wholeNumber, yesOrNo } from '../verb.ts';

const advisorOption = { value: 'EMAIL|ID', about: 'Whose CRM.', required: true } as const;

export const crmVerbs: Verb[] = [
  {
    name: 'crm connect',
    about: 'Connect an advisor’s CRM, in place of one before, once it has answered. Its first sync begins by itself.',
    operands: [],
    options: {
      advisor: advisorOption,
      kind: { value: crmKinds.join('|'), about: 'How it is reached.', required: true },
      url: { value: 'URL', about: 'carddav: the server, an account or an address book. https: where lookups go.' },
      username: { value: 'NAME', about: 'carddav: whom to sign in as.' },
      file: { value: 'PATH', about: 'file: a vCard or CSV file that the server’s machine has.' },
      format: contactFormatOption,
      region: { value: 'CC', about: 'Where numbers without a country code are from; US by default.' },
      'secret-stdin': {
        about: 'Read the password, or the signing secret, from stdin. Without it, https makes a secret and prints it.',
      },
      daily: { value: 'yes|no', about: 'Whether it is synced every day; yes by default.' },
      'no-check': { about: 'Don’t ask the CRM anything first.' },
    },
    run: connect,
  },
  {
    name: 'crm list',
    about: 'List the CRMs that are connected.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.records((await listCrmConnections(runtime)).map(brief)),
  },
  {
    name: 'crm show',
    about: 'Show an advisor’s CRM: how it is reached, what its last syncs came to, what keeps it from answering.',
    operands: [],
    options: { advisor: advisorOption },
    run: show,
  },
  {
    name: 'crm sync',
    about: 'Bring an advisor’s book in step with his CRM now, and say what there is to look at.',
    operands: [],
    options: { advisor: advisorOption },
    watches: true,
    run: sync,
  },
  {
    name: 'crm findings',
    about: 'List what a sync found for a person to look at: duplicates, conflicts, what is missing or was refused.',
    operands: [],
    options: { advisor: advisorOption, sync: { value: 'ID', about: 'Which sync; by default the last.' } },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      const syncId = options.sync === undefined ? undefined : wholeNumber('--sync', options.sync);
      out.records(await listFindings(runtime, advisorId, syncId));
    },
  },
  {
    name: 'crm disconnect',
    about: 'Disconnect an advisor’s CRM and forget its secret. The contacts that came from it stay.',
    operands: [],
    options: { advisor: advisorOption },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      await disconnectCrm(runtime, advisorId);
      out.note('Disconnected.');
    },
  },
  {
    name: 'crm reseal',
    about: 'Seal the secrets of all CRMs anew, by the first key of CREDENTIALS_KEY.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.note(`Sealed ${await resealSecrets(runtime)} anew.`),
  },
];

async function connect(call: Call): Promise<void> {
  const { runtime, options, switches, out } = call;
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const { access, made } = await accessOf(call);
  const daily = yesOrNo('--daily', options.daily ?? 'yes');
  const connection = await connectCrm(runtime, advisorId, access, { daily, check: !made && !switches.has('no-check') });
  out.records([brief(connection)]);
  if (made) out.note(`The signing secret, shown this once:\n${made}`);
}

/** How the CRM is reached; `made` is a secret that nobody has seen yet, so that the other side can't know it. */
async function accessOf(call: Call): Promise<{ access: CrmAccess; made?: string }> {
  const { options } = call;
  const region = options.region ?? 'US';
  // With it come the numbering plans of the world, which no other command waits for.
  const { isRegion } = await import('../../contact-files/fields.ts');
  if (!isRegion(region)) throw new UsageError(`--region must be a country code such as US, not "${region}".`);
  if (options.kind === 'file') {
    const path = resolve(needed(call, 'file'));
    return { access: { kind: 'file', path, format: contactFormatOf(path, options.format), region } };
  }
  const secret = await secretFromStdin(call, 'secret-stdin');
  if (options.kind === 'carddav') {
    if (!secret) throw new UsageError('Give the password on stdin, with --secret-stdin.');
    const username = needed(call, 'username');
    return { access: { kind: 'carddav', url: needed(call, 'url'), username, secret, region } };
  }
  if (options.kind !== 'https')
    throw new UsageError(`--kind must be one of ${crmKinds.join(', ')}, not "${options.kind}".`);
  if (secret) return { access: { kind: 'https', url: needed(call, 'url'), secret } };
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  return { access: { kind: 'https', url: needed(call, 'url'), secret: made }, made };
}

function needed({ options }: Call, name: string): string {
  const value = options[name];
  if (!value) throw new UsageError(`--${name} is needed for --kind ${options.kind}.`);
  return value;
}

async function show({ runtime, options, json, out }: Call): Promise<void> {
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const connection = await getCrmConnection(runtime, advisorId);
  const syncs = await listSyncs(runtime, advisorId);
  if (json) return out.records([{ ...connection, syncs }]);
  const { settings, ...rest } = connection;
  out.records(Object.entries({ ...rest, ...settings }).map(([setting, value]) => ({ setting, value })));
  out.line('');
  out.records(syncs.map(told));
}

async function sync({ runtime, options, out, until }: Call): Promise<void> {
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  // Ctrl-C ends the sync where it stands, on record, and the next one goes on from there.
  until.addEventListener('abort', () => runtime.signals.stopping.abort());
  const result = await syncCrm(runtime, advisorId, 'operator', (done, total) =>
    out.progress('Syncing', done, total ?? done + 1),
  );
  const findings = await listFindings(runtime, advisorId, result.syncId);
  for (const { kind, remoteContactId, contactId, detail } of findings)
    out.line(
      inOneLine([`${kind}:`, remoteContactId, contactId && `(contact ${contactId})`, detail].filter(Boolean).join(' ')),
    );
  out.note(summary(result));
  if (result.status !== 'succeeded') out.exitCode = 1;
}

function summary({ status, reason, added, updated, unchanged, ...rest }: CrmSync): string {
  const { conflicts, duplicates, missing, refused } = rest;
  const counts = `Added ${added}, updated ${updated}, unchanged ${unchanged}; conflicts ${conflicts}, duplicates ${duplicates}, missing ${missing}, refused ${refused}.`;
  return status === 'succeeded' ? counts : `The sync ${status}: ${reason}\n${counts}`;
}

function told({ syncId, status, reason, dateTimeStarted, dateTimeEnded, kind, ...counts }: CrmSync) {
  return { syncId, dateTimeStarted, dateTimeEnded, status, reason, ...counts };
}

function brief({ advisorId, kind, daily, nextSyncAt, lookupFault, waitingLookups }: CrmConnection) {
  return { advisorId, kind, daily, nextSyncAt, waitingLookups, lookupFault };
}
