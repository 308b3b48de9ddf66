import { randomBytes } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import { findApiKey } from '../../store/access/api-keys.ts';
import { findApplication } from '../../store/access/applications.ts';
import { findAdvisor, type NewAdvisor } from '../../store/accounts/advisors.ts';
import { listKnownPhones } from '../../store/address-book/contacts.ts';
import { listContent } from '../../store/content/content.ts';
import { issueApiKey } from '../access/api-keys.ts';
import { addApplication, rotateSecret } from '../access/applications.ts';
import { isSuspended, provision } from '../access/grants.ts';
import { discover } from '../access/identity-provider.ts';
import { addAdvisor, setAdvisor } from '../accounts/advisors.ts';
import { addFirm, type Firm, type FirmChange, listFirms, setFirm } from '../accounts/firms.ts';
import { createContacts } from '../address-book/contacts.ts';
import { type ContentInput, saveContent } from '../content/content.ts';
import { numberOf } from '../shared/enumerations.ts';
import { hashSecret, matchesHash } from '../shared/secrets.ts';
import { setInitialConsent } from './initial-consent.ts';
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

/** The phones with special behavior, each with its owner. */
export const magicContacts = [
  { phone: '+15005550006', firstName: 'Pia', lastName: 'Plain', nickname: 'Accepted from the start' },
  { phone: '+15005550001', firstName: 'Una', lastName: 'Unreachable', nickname: 'Unreachable' },
  { phone: '+15005550003', firstName: 'Lars', lastName: 'Landline', nickname: 'A landline' },
  { phone: '+15005550004', firstName: 'Olga', lastName: 'Optedout', nickname: 'Opted out from the start' },
  { phone: '+15005550007', firstName: 'Uwe', lastName: 'Undelivered', nickname: 'Never delivered' },
  { phone: '+15005550008', firstName: 'Theo', lastName: 'Thanks', nickname: 'Replies Thanks!' },
  { phone: '+15005550009', firstName: 'Rita', lastName: 'Receiptless', nickname: 'No receipt ever' },
  { phone: '+15005550010', firstName: 'Ada', lastName: 'Accept', nickname: 'Answers ACCEPT' },
  { phone: '+15005550011', firstName: 'Stan', lastName: 'Stop', nickname: 'Answers STOP' },
  { phone: '+15005550012', firstName: 'Nora', lastName: 'Nothing', nickname: 'Answers nothing' },
  { phone: '+15005550013', firstName: 'Wim', lastName: 'Who', nickname: 'Asks who is this?' },
  { phone: '+15005550014', firstName: 'Cara', lastName: 'Carrier', nickname: 'The carrier says: opted out' },
  { phone: '+15005550016', firstName: 'Paul', lastName: 'Please', nickname: 'Answers please stop texting me' },
  { phone: '+15005550021', firstName: 'Ella', lastName: 'Errs', nickname: 'The carrier errs once' },
  { phone: '+15005550031', firstName: 'Uma', lastName: 'Unasked', nickname: 'Unreachable, not asked yet' },
  { phone: '+15005550033', firstName: 'Leo', lastName: 'Landline', nickname: 'A landline, not asked yet' },
  { phone: '+15005550022', firstName: 'Ivo', lastName: 'Indoubt', nickname: 'The carrier’s answer is lost' },
];

/** The phones' initial consent, for every advisor. Phones that aren't listed start with none. */
const magicConsents = {
  accepted: ['0006', '0001', '0003', '0007', '0008', '0009', '0014', '0021', '0022'].map(
    (digits) => `+1500555${digits}`,
  ),
  opted_out: ['+15005550004'],
};

/**
 * Creates what the sandbox lacks and never changes what exists. The database has only hashes of secrets, so the file from
 * an earlier start is the only copy: if it is gone, or belongs to a different database, new secrets are made.
 */
export async function makeSandbox(deps: Deps, earlier: SandboxFile | null): Promise<SandboxFile> {
  const urls = { baseUrl: `${deps.config.publicUrl}/v1`, ...(await oauthUrls(deps)) };
  const application = (await earlierApplication(deps, earlier)) ?? (await newApplication(deps));
  const firmOf: FirmOf = async (firm) => {
    const { name, change } = firms[firm];
    const found = (await listFirms(deps)).find((each) => each.name === name);
    return (found ?? (await makeFirm(deps, name, change))).firmId;
  };
  const advisors = [];
  for (const each of cast) advisors.push(await makeAdvisor(deps, each, firmOf, earlier));
  // An application that the advisor disconnected stays so.
  for (const { id } of advisors)
    if (!(await isSuspended(deps, id, application.clientId))) await provision(deps, id, application.clientId);
  await makeLibrary(deps, null, sandboxLibrary.everyones);
  await makeLibrary(deps, await firmOf('sandbox'), sandboxLibrary.firms);
  return { ...urls, ...application, advisors };
}

async function makeFirm(deps: Deps, name: string, change: FirmChange): Promise<Firm> {
  return inTransaction(deps, async (deps) => {
    const { firmId } = await addFirm(deps, name);
    return setFirm(deps, firmId, change);
  });
}

/** The URLs that issue tokens: our own authorization server's, or those of the identity provider that replaces it. */
async function oauthUrls({ config }: Deps): Promise<Pick<SandboxFile, 'authUrl' | 'tokenUrl'>> {
  const { publicUrl, oauthIssuer } = config;
  if (!oauthIssuer) return { authUrl: `${publicUrl}/oauth/authorize`, tokenUrl: `${publicUrl}/oauth/token` };
  const { authorization_endpoint: authUrl = '', token_endpoint: tokenUrl = '' } = await discover(oauthIssuer);
  return { authUrl, tokenUrl };
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

async function newApplication(deps: Deps): Promise<ApplicationSecrets> {
  const redirectUri = 'http://localhost:3000/callback';
  const { application, clientSecret } = await addApplication(deps, {
    name: 'Sandbox CRM',
    redirectUris: [redirectUri],
  });
  const { apiKey } = await issueApiKey(deps, application.clientId);
  return { apiKey, clientId: application.clientId, clientSecret, redirectUri };
}

async function makeAdvisor(
  deps: Deps,
  member: Cast,
  firmOf: FirmOf,
  earlier: SandboxFile | null,
): Promise<SandboxAdvisor> {
  const { about, hasContacts, firm, ...settings } = member;
  const found = await findAdvisor(deps.db, member.email);
  const known = found && earlier?.advisors.find((each) => each.id === found.advisorId && each.email === found.email);
  const password = known?.password ?? randomBytes(12).toString('base64url');
  if (found && !known) await setAdvisor(deps, found.advisorId, { password });
  const advisor = found ?? (await addAdvisor(deps, { ...settings, firmId: await firmOf(firm), password }));
  if (hasContacts) await makeMagicContacts(deps, advisor.advisorId);
  await setInitialConsent(deps, advisor.advisorId, magicConsents.accepted, 'accepted');
  await setInitialConsent(deps, advisor.advisorId, magicConsents.opted_out, 'opted_out');
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
  const phones = magicContacts.map(({ phone }) => phone);
  const known = new Set(await listKnownPhones(deps.db, advisorId, phones));
  const missing = magicContacts.filter(({ phone }) => !known.has(phone));
  if (missing.length > 0) await createContacts(deps, advisorId, missing, numberOf('source', 'Manual'));
}

async function makeLibrary(deps: Deps, firmId: number | null, items: ContentInput[]): Promise<void> {
  const urls = items.map(({ url }) => url);
  const known = new Set((await listContent(deps.db, firmId, urls)).map(({ url }) => url));
  const missing = items.filter(({ url }) => !known.has(url));
  await saveContent(deps, { firmId, source: null }, missing);
}
