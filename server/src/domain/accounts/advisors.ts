import { type Deps, inTransaction } from '../../deps.ts';
import type { AdvisorRow, AdvisorSettings, QuietHours } from '../../store/accounts/advisors.ts';
import * as store from '../../store/accounts/advisors.ts';
import { findFirm } from '../../store/accounts/firms.ts';
import { sandboxCarrierId } from '../../store/carriers/carriers.ts';
import { insertEarlierNumber } from '../../store/carriers/numbers.ts';
import { deleteInvitationOf } from '../../store/sign-in/invitations.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem, requireFound } from '../problems.ts';
import { e164 } from '../shared/phone-numbers.ts';
import { replacePassword } from '../sign-in/invitations.ts';
import { hashPassword, isTooShort, passwordLengthMin } from '../sign-in/passwords.ts';
import { checkName } from './names.ts';
import { archiveSetting, changesOf } from './settings.ts';

export const quietHoursPolicies: readonly QuietHours[] = ['off', 'defer', 'refuse'];
/** No carrier accepts more from one number. */
const textingPaceMax = 1_000;

export type Advisor = AdvisorRow;
/** The advisor's account as a partner sees it. */
export type Account = Advisor & { firmName: string; environment: Deps['config']['environment'] };
export type AdvisorInput = Partial<AdvisorSettings> & {
  firmId: number;
  name: string;
  email: string;
  password?: string;
  /** Instead of a password that was hashed before. */
  passwordHash?: string;
};

export async function addAdvisor(deps: Deps, input: AdvisorInput, by: By = byOperator): Promise<Advisor> {
  checkSettings(input);
  checkPassword(input.password);
  if (!(await findFirm(deps.db, input.firmId))) throw problem('not_found', `There is no firm ${input.firmId}.`);
  const given = {
    firmId: input.firmId,
    name: input.name,
    email: input.email,
    textingNumber: input.textingNumber ?? null,
    timeZone: input.timeZone ?? 'America/New_York',
    consentRequired: input.consentRequired ?? true,
    consentCollection: input.consentCollection ?? true,
    quietHours: input.quietHours ?? 'off',
    textingPace: input.textingPace ?? null,
    carrierId: input.carrierId === undefined ? defaultCarrier(deps) : input.carrierId,
    campaign: input.campaign ?? null,
    disabled: input.disabled ?? false,
    passwordHash: input.passwordHash ?? (input.password ? await hashPassword(input.password) : null),
  };
  return inTransaction(deps, async (deps) => {
    const advisor = await store.insertAdvisor(deps.db, given, deps.clock.now());
    if (!advisor) throw taken();
    const { advisorId, firmId } = advisor;
    const setting = { advisorId, what: 'advisor added', of: { firmId }, values: advisor };
    await archiveSetting(deps, by, setting);
    return advisor;
  });
}

export async function setAdvisor(
  deps: Deps,
  advisorId: number,
  { password, ...given }: Partial<AdvisorSettings> & { password?: string },
  by: By = byOperator,
): Promise<void> {
  let settings = given;
  checkSettings(settings);
  checkPassword(password);
  const passwordHash = password && (await hashPassword(password));
  await inTransaction(deps, async (deps) => {
    const before = await store.findAdvisorForUpdate(deps.db, advisorId);
    if (!before) return;
    if (before.carrierId === null && settings.textingNumber)
      settings = { carrierId: defaultCarrier(deps), ...settings };
    if (!(await store.updateAdvisor(deps.db, advisorId, settings))) throw taken();
    await keepEarlierNumber(deps, before, { ...before, ...settings });
    if (passwordHash) await replacePassword(deps, advisorId, passwordHash);
    // A link may have gone to an address that was wrong.
    if (settings.email && settings.email !== before.email) await deleteInvitationOf(deps.db, { advisorId });
    const values = { ...changesOf(before, { ...before, ...settings }), ...(password ? { password: 'changed' } : {}) };
    if (Object.keys(values).length === 0) return;
    await archiveSetting(deps, by, { advisorId, what: 'advisor set', of: {}, values });
  });
}

/** Replies to the number that the advisor had, and by the carrier that it had, still are the advisor's. */
async function keepEarlierNumber({ db, databaseClock }: Deps, before: Advisor, after: Advisor): Promise<void> {
  const { advisorId, textingNumber: number, carrierId } = before;
  const isSame = number === after.textingNumber && carrierId === after.carrierId;
  if (isSame || number === null || carrierId === null) return;
  await insertEarlierNumber(db, { number, carrierId, advisorId, leftAt: databaseClock.now() });
}

export async function getAccount(deps: Deps, advisorId: number): Promise<Account> {
  const account = requireFound(await store.findAccount(deps.db, advisorId), `There is no advisor ${advisorId}.`);
  return { ...account, environment: deps.config.environment };
}

/** The advisor with this id or email, as an operator gives it. */
export async function getAdvisor(deps: Deps, idOrEmail: string): Promise<Advisor> {
  return requireFound(await findAdvisor(deps, idOrEmail), `There is no advisor ${idOrEmail}.`);
}

export async function findAdvisor(deps: Deps, idOrEmail: string): Promise<Advisor | null> {
  return store.findAdvisor(deps.db, idOrEmail);
}

export async function listAdvisors(deps: Deps): Promise<Advisor[]> {
  return store.listAdvisors(deps.db);
}

/** The advisors of one firm. Another firm's advisor is one that doesn't exist. */
export async function listAdvisorsOf(deps: Deps, firmId: number): Promise<Advisor[]> {
  return store.listAdvisors(deps.db, firmId);
}

export async function getAdvisorOf(deps: Deps, firmId: number, advisorId: number): Promise<Advisor> {
  const found = await store.findAdvisor(deps.db, String(advisorId));
  if (found?.firmId !== firmId) throw problem('not_found', `There is no advisor ${advisorId}.`);
  return found;
}

export async function listAdvisorsKnowing(deps: Deps, phone: string): Promise<Advisor[]> {
  return store.listAdvisorsKnowing(deps.db, phone);
}

/** In the sandbox, advisors have its carrier unless they are given another. */
function defaultCarrier({ config }: Deps): number | null {
  return config.environment === 'sandbox' ? sandboxCarrierId : null;
}

function taken() {
  return problem('invalid_request', 'Another advisor has that email or texting number.');
}

function checkPassword(password: string | undefined): void {
  if (password && isTooShort(password))
    throw problem('invalid_request', `A password needs at least ${passwordLengthMin} characters.`);
}

function checkSettings(settings: Partial<AdvisorSettings>): void {
  const { name, email, textingNumber, timeZone } = settings;
  if (name !== undefined) checkName('An advisor', name);
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email))
    throw problem('invalid_request', `${email} is not an email address.`);
  if (textingNumber && !e164.test(textingNumber))
    throw problem('invalid_request', `${textingNumber} is not an E.164 phone number, such as +15005550006.`);
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw problem('invalid_request', `${timeZone} is not a time zone, such as America/New_York.`);
  checkTexting(settings);
}

function checkTexting({ quietHours, textingPace }: Partial<AdvisorSettings>): void {
  if (quietHours !== undefined && !quietHoursPolicies.includes(quietHours))
    throw problem(
      'invalid_request',
      `Quiet hours must be one of ${quietHoursPolicies.join(', ')}, not "${quietHours}".`,
    );
  const isPace = (pace: number) => Number.isInteger(pace) && pace >= 1 && pace <= textingPaceMax;
  if (typeof textingPace === 'number' && !isPace(textingPace))
    throw problem('invalid_request', `A texting pace must be 1 to ${textingPaceMax} texts per second, or unlimited.`);
}

/** Intl also takes PST or CST, which is no zone to Temporal: every schedule and every night of such an advisor would fail. */
function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
