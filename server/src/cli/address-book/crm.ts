import { resolve } from 'node:path';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import {
  type CrmConnection,
  connectCrm,
  disconnectCrm,
  getCrmConnection,
  listCrmConnections,
} from '../../domain/address-book/crm-connections.ts';
import { type CrmSync, listFindings, listSyncs, syncCrm } from '../../domain/address-book/crm-syncs.ts';
import { type CrmAccess, crmKinds } from '../../domain/ports.ts';
import { newSigningSecret } from '../../domain/shared/secrets.ts';
import { contactFormatOf, contactFormatOption } from '../files.ts';
import { inOneLine } from '../terminal.ts';
import { always, type Call, secretFromStdin, UsageError, type Verb, wholeNumber, yesOrNo } from '../verb.ts';

const advisorOption = { value: 'EMAIL|ID', about: 'The advisor whose CRM it is.', required: true } as const;

export const crmVerbs: Verb[] = [
  {
    name: 'crm connect',
    about:
      'Connect an advisor’s CRM after checking that it responds; replaces the current one. The first sync starts automatically.',
    options: {
      advisor: advisorOption,
      kind: { oneOf: crmKinds, about: 'How it is reached.', required: true },
      url: { value: 'URL', about: 'carddav: a server, an account or an address book. https: the address for lookups.' },
      username: { value: 'NAME', about: 'carddav: the user name to sign in with.' },
      file: { value: 'PATH', about: 'file: a vCard or CSV file on the server’s machine.' },
      format: contactFormatOption,
      region: { value: 'CC', about: 'Country of numbers without a country code; US by default.' },
      'secret-stdin': {
        about: 'Read the password or signing secret from stdin. Without it, https generates a secret and prints it.',
      },
      daily: { oneOf: yesOrNo, about: 'Whether to sync every day; yes by default.' },
      'no-check': { about: 'Connect without checking the CRM first.' },
    },
    examples: [
      'crm connect --advisor avery@sandbox.example --kind carddav --url https://dav.example --username avery --secret-stdin < password',
    ],
    run: connect,
  },
  {
    name: 'crm list',
    about: 'List the connected CRMs.',
    run: async ({ runtime, out }) => out.records((await listCrmConnections(runtime)).map(brief)),
  },
  {
    name: 'crm show',
    about:
      'Show an advisor’s CRM: its settings, the results of its last syncs, and why its last lookup failed, if it did.',
    options: { advisor: advisorOption },
    run: show,
  },
  {
    name: 'crm sync',
    about: 'Sync an advisor’s book with their CRM now, and list the findings.',
    options: { advisor: advisorOption },
    watches: true,
    run: sync,
  },
  {
    name: 'crm findings',
    about: 'List a sync’s findings for a person to look at: duplicates, conflicts, missing and refused contacts.',
    options: { advisor: advisorOption, sync: { value: 'ID', about: 'The sync; by default the last one.' } },
    run: async ({ runtime, options, out }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      const syncId = options.sync === undefined ? undefined : wholeNumber('--sync', options.sync);
      out.records(await listFindings(runtime, advisorId, syncId));
    },
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
  const { access, generated } = await accessOf(call);
  const connection = await connectCrm(runtime, advisorId, access, {
    daily: options.daily !== 'no',
    check: !generated && !switches.has('no-check'),
  });
  out.records([brief(connection)]);
  if (generated) out.note(`The signing secret, shown only this once:\n${generated}`);
}

/** How to reach the CRM; `generated` is a new secret, which the CRM can't know yet. */
async function accessOf(call: Call): Promise<{ access: CrmAccess; generated?: string }> {
  const { options } = call;
  const region = options.region ?? 'US';
  // Loaded on demand, because it includes the world's numbering plans.
  const { isRegion } = await import('../../adapters/files/contacts/phones.ts');
  if (!isRegion(region)) throw new UsageError(`--region must be a country code such as US, not "${region}".`);
  if (options.kind === 'file') {
    const path = resolve(required(call, 'file'));
    return { access: { kind: 'file', path, format: contactFormatOf(path, options.format), region } };
  }
  const secret = await secretFromStdin(call, 'secret-stdin');
  if (options.kind === 'carddav') {
    if (!secret) throw new UsageError('Give the password on stdin, with --secret-stdin.');
    const username = required(call, 'username');
    return { access: { kind: 'carddav', url: required(call, 'url'), username, secret, region } };
  }
  if (secret) return { access: { kind: 'https', url: required(call, 'url'), secret } };
  const generated = newSigningSecret();
  return { access: { kind: 'https', url: required(call, 'url'), secret: generated }, generated };
}

function required({ options }: Call, name: string): string {
  const value = options[name];
  if (!value) throw new UsageError(`--${name} is required for --kind ${options.kind}.`);
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
  out.records(syncs.map(row));
}

async function sync({ runtime, options, out, until }: Call): Promise<void> {
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  // Ctrl-C interrupts the sync, which is recorded, and the next sync continues from there.
  until.addEventListener('abort', () => runtime.signals.stopping.abort());
  const progress = (done: number, total: number | null) => out.progress('Syncing', done, total);
  const result = await syncCrm(runtime, advisorId, 'operator', progress);
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

function row({ syncId, status, reason, dateTimeStarted, dateTimeEnded, kind, ...counts }: CrmSync) {
  return { syncId, dateTimeStarted, dateTimeEnded, status, reason, ...counts };
}

function brief({ advisorId, kind, daily, nextSyncAt, lookupFault, waitingLookups }: CrmConnection) {
  return { advisorId, kind, daily, nextSyncAt, waitingLookups, lookupFault };
}
