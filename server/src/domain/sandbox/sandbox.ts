import { randomBytes } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import { findApiKey } from '../../store/access/api-keys.ts';
import { findApplication } from '../../store/access/applications.ts';
import { findAdvisor, type NewAdvisor } from '../../store/accounts/advisors.ts';
import { listKnownPhones } from '../../store/address-book/contacts.ts';
import { listContent } from '../../store/content/content.ts';
import { defaultPlan, issueApiKey } from '../access/api-keys.ts';
import { addApplication, rotateSecret } from '../access/applications.ts';
import { isSuspended, provision } from '../access/grants.ts';
import { type Advisor, type AdvisorInput, addAdvisor, setAdvisor } from '../accounts/advisors.ts';
import { addFirm, type Firm, type FirmChange, listFirms, setFirm } from '../accounts/firms.ts';
import { addStaff, listStaff } from '../accounts/staff.ts';
import { createContacts } from '../address-book/contacts.ts';
import { byOperator } from '../archive/archive.ts';
import { type ContentInput, saveContent } from '../content/content.ts';
import { numberOf } from '../shared/enumerations.ts';
import { hashSecret, matchesHash } from '../shared/secrets.ts';
import { applyFirstText, setInitialConsent } from './initial-consent.ts';
import { magicConsents, magicNumbers, possibleOptOut } from './magic-numbers.ts';
import { sandboxLibrary } from './sandbox-library.ts';

export type SandboxFile = {
  baseUrl: string;
  authUrl: string;
  tokenUrl: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  advisors: SandboxAdvisor[];
};
export type SandboxAdvisor = {
  id: number;
  name: string;
  email: string;
  password: string;
  textingNumber: string;
  timeZone: string;
  about: string;
};

type Cast = Pick<
  NewAdvisor,
  'name' | 'email' | 'textingNumber' | 'timeZone' | 'consentRequired' | 'consentCollection'
> & {
  textingNumber: string;
  about: string;
  hasContacts: boolean;
  firm: keyof typeof firms;
};

type FirmOf = (firm: Cast['firm']) => Promise<number>;

/** The second has what a firm in production has by default. */
const firms = {
  sandbox: { name: 'Sandbox Wealth Partners', change: {} },
  likeProduction: { name: 'Harbor Point Advisors', change: { firstTextLine: true } },
};
const usual = { consentRequired: true, consentCollection: true, hasContacts: true, firm: 'sandbox' } as const;
const cast: Cast[] = [
  {
    ...usual,
    name: 'Avery Quinn',
    email: 'avery@sandbox.example',
    textingNumber: '+15005551001',
    timeZone: 'America/New_York',
    about: 'Consent required; collection set up',
  },
  {
    ...usual,
    name: 'Blake Rivera',
    email: 'blake@sandbox.example',
    textingNumber: '+15005551002',
    timeZone: 'America/Chicago',
    consentCollection: false,
    about: 'Consent required; collection not set up: consent requests answer 409',
  },
  {
    ...usual,
    name: 'Casey Lindgren',
    email: 'casey@sandbox.example',
    textingNumber: '+15005551003',
    timeZone: 'America/Denver',
    consentRequired: false,
    about: 'Consent not required; consent requests work',
  },
  {
    ...usual,
    name: 'Devon Okafor',
    email: 'devon@sandbox.example',
    textingNumber: '+15005551004',
    timeZone: 'America/Los_Angeles',
    hasContacts: false,
    about: 'Like Avery, with an empty book: for isolation tests.',
  },
  {
    ...usual,
    name: 'Ellis Moreau',
    email: 'ellis@sandbox.example',
    textingNumber: '+15005551005',
    timeZone: 'America/New_York',
    hasContacts: false,
    firm: 'likeProduction',
    about:
      'Like Devon, at a firm with production’s defaults: the first text to a person gets a line with the firm’s name and how to stop.',
  },
];

const staff = [
  { name: 'Riley Brooks', email: 'riley@sandbox.example', role: 'reviewer' },
  { name: 'Cameron Ortiz', email: 'cameron@sandbox.example', role: 'compliance_officer' },
  { name: 'Oakley Tran', email: 'oakley@sandbox.example', role: 'operator' },
] as const;

/** For a database that was emptied: the application and the advisors are made with the secrets and ids that they had. */
type Restoring = {
  sandbox: SandboxFile;
  addAdvisor(known: SandboxAdvisor, input: AdvisorInput): Promise<Advisor>;
};

/**
 * Creates what the sandbox lacks and never changes what exists. The database has only hashes of secrets, so the file from
 * an earlier start is the only copy: if it is gone, or belongs to a different database, new secrets are made.
 */
export async function makeSandbox(
  deps: Deps,
  earlier: SandboxFile | null,
  restoring?: Restoring,
): Promise<SandboxFile> {
  const { publicUrl } = deps.config;
  const urls = {
    baseUrl: `${publicUrl}/v1`,
    authUrl: `${publicUrl}/oauth/authorize`,
    tokenUrl: `${publicUrl}/oauth/token`,
  };
  const application = (await earlierApplication(deps, earlier)) ?? (await newApplication(deps, restoring?.sandbox));
  const firmOf: FirmOf = async (firm) => {
    const { name, change } = firms[firm];
    const found = (await listFirms(deps)).find((each) => each.name === name);
    return (found ?? (await makeFirm(deps, name, change))).firmId;
  };
  const advisors = [];
  for (const each of cast) advisors.push(await makeAdvisor(deps, each, firmOf, earlier, restoring));
  await makeStaff(deps, await firmOf('sandbox'));
  // An application that the advisor disconnected stays so.
  for (const { id } of advisors)
    if (!(await isSuspended(deps, id, application.clientId))) await provision(deps, id, application.clientId);
  await makeLibrary(deps, null, sandboxLibrary.everyones);
  await makeLibrary(deps, await firmOf('sandbox'), sandboxLibrary.firms);
  return { ...urls, ...application, advisors };
}

/** One of each role, for the console. */
async function makeStaff(deps: Deps, firmId: number): Promise<void> {
  const known = new Set((await listStaff(deps)).map(({ email }) => email));
  for (const { role, ...person } of staff)
    if (!known.has(person.email))
      await addStaff(deps, { ...person, role, firmId: role === 'operator' ? null : firmId });
}

async function makeFirm(deps: Deps, name: string, change: FirmChange): Promise<Firm> {
  return inTransaction(deps, async (deps) => {
    const { firmId } = await addFirm(deps, name);
    return setFirm(deps, firmId, change);
  });
}

type ApplicationSecrets = Pick<SandboxFile, 'apiKey' | 'clientId' | 'clientSecret' | 'redirectUri'>;

async function earlierApplication(deps: Deps, earlier: SandboxFile | null): Promise<ApplicationSecrets | null> {
  const application = earlier && (await findApplication(deps.db, earlier.clientId));
  if (!application) return null;
  const { apiKey, clientId, clientSecret, redirectUri } = earlier;
  const key = await findApiKey(deps.db, hashSecret(apiKey));
  return {
    apiKey: key?.clientId === clientId ? apiKey : (await issueApiKey(deps, clientId)).apiKey,
    clientId,
    clientSecret: matchesHash(clientSecret, application.secretHash) ? clientSecret : await rotateSecret(deps, clientId),
    redirectUri,
  };
}

async function newApplication(deps: Deps, known?: ApplicationSecrets): Promise<ApplicationSecrets> {
  const redirectUri = 'http://localhost:3000/callback';
  const input = { name: 'Sandbox CRM', redirectUris: [redirectUri] };
  const { application, clientSecret } = await addApplication(deps, input, byOperator, known);
  const { apiKey } = await issueApiKey(deps, application.clientId, defaultPlan, byOperator, known?.apiKey);
  return { apiKey, clientId: application.clientId, clientSecret, redirectUri };
}

async function makeAdvisor(
  deps: Deps,
  member: Cast,
  firmOf: FirmOf,
  earlier: SandboxFile | null,
  restoring?: Restoring,
): Promise<SandboxAdvisor> {
  const { about, hasContacts, firm, ...settings } = member;
  const found = await findAdvisor(deps.db, member.email);
  const known = found && earlier?.advisors.find((each) => each.id === found.advisorId && each.email === found.email);
  const before = restoring?.sandbox.advisors.find(({ email }) => email === member.email);
  const password = known?.password ?? before?.password ?? randomBytes(12).toString('base64url');
  if (found && !known) await setAdvisor(deps, found.advisorId, { password });
  async function add(): Promise<Advisor> {
    const input = { ...settings, firmId: await firmOf(firm) };
    return restoring && before ? restoring.addAdvisor(before, input) : addAdvisor(deps, { ...input, password });
  }
  const advisor = found ?? (await add());
  if (hasContacts) await makeMagicContacts(deps, advisor.advisorId);
  await setMagicConsents(deps, advisor);
  return {
    id: advisor.advisorId,
    name: advisor.name,
    email: advisor.email,
    password,
    textingNumber: advisor.textingNumber ?? member.textingNumber,
    timeZone: advisor.timeZone,
    about,
  };
}

async function makeMagicContacts(deps: Deps, advisorId: number): Promise<void> {
  const contacts = magicNumbers.map(({ about, ...contact }) => contact);
  const phones = contacts.map(({ phone }) => phone);
  const known = new Set(await listKnownPhones(deps.db, advisorId, phones));
  const missing = contacts.filter(({ phone }) => !known.has(phone));
  if (missing.length > 0) await createContacts(deps, advisorId, missing, numberOf('source', 'Manual'));
}

async function setMagicConsents(deps: Deps, advisor: Advisor): Promise<void> {
  const { accepted, doubtful, opted_out } = magicConsents;
  const { advisorId } = advisor;
  await setInitialConsent(deps, advisorId, accepted, 'accepted');
  await setInitialConsent(deps, advisorId, doubtful, 'accepted', (deps, member) =>
    applyFirstText(deps, advisor, member, possibleOptOut),
  );
  await setInitialConsent(deps, advisorId, opted_out, 'opted_out');
}

async function makeLibrary(deps: Deps, firmId: number | null, items: ContentInput[]): Promise<void> {
  const urls = items.map(({ url }) => url);
  const known = new Set((await listContent(deps.db, firmId, urls)).map(({ url }) => url));
  const missing = items.filter(({ url }) => !known.has(url));
  await saveContent(deps, firmId, missing);
}
