import { type Deps, inTransaction } from '../../deps.ts';
import { deleteDevices } from '../../store/sign-in/devices.ts';
import { deleteInvitationOf } from '../../store/sign-in/invitations.ts';
import { deleteChallengesOf } from '../../store/sign-in/passkey-challenges.ts';
import { deletePasskeys } from '../../store/sign-in/passkeys.ts';
import * as store from '../../store/sign-in/staff-credentials.ts';
import type { By } from '../archive/archive.ts';
import { openStep, sealStep } from './form-steps.ts';
import { listPasskeys, type Passkey, removePasskey } from './passkeys.ts';
import { hashPassword, isTooShort } from './passwords.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { endSessions } from './sessions.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { makeTotpSecret, totpLink, totpStepOf } from './totp.ts';

/** An authenticator app that is being set up: its secret as text and as a link, and the step for the form with its first code. */
export type SetUp = { step: string; secret: string; link: string };
/** Without a password hash, the password stays as it is. */
type NewCredentials = { passwordHash: string | null; secret: string };

/** What somebody of the staff can sign in with. */
export type StaffAccess = { passkeys: Passkey[]; hasPassword: boolean; recoveryCodesLeft: number };

export async function staffAccess(deps: Deps, staffId: number): Promise<StaffAccess> {
  return {
    passkeys: await listPasskeys(deps, { staffId }),
    hasPassword: (await store.findCredentials(deps.db, staffId)) !== null,
    recoveryCodesLeft: await store.countRecoveryCodes(deps.db, staffId),
  };
}

/**
 * The first of two steps: a password, and a secret for the authenticator app. Neither counts until the app's first code proves that it
 * has the secret, so nobody locks themselves out and no password is ever alone.
 */
export async function beginSetUp(
  deps: Deps,
  { staffId, email }: { staffId: number; email: string },
  password: string | null,
): Promise<SetUp | { refused: 'short' }> {
  if (password !== null && isTooShort(password)) return { refused: 'short' };
  const passwordHash = password === null ? null : await hashPassword(password);
  const secret = makeTotpSecret();
  const chosen: NewCredentials = { passwordHash, secret };
  return { step: sealStep(deps, setUpOf(staffId), chosen), ...shown(secret, email) };
}

/** The same again, for a form whose code was wrong; null if it took too long. */
export function setUpIn(
  deps: Deps,
  { staffId, email }: { staffId: number; email: string },
  step: string,
): SetUp | null {
  const chosen = openStep<NewCredentials>(deps, setUpOf(staffId), step);
  return chosen && { step, ...shown(chosen.secret, email) };
}

/** What the app's first code proves; null if it is wrong, or took too long. */
export function provenSetUp(
  deps: Deps,
  staffId: number,
  { step, code }: { step: string; code: string },
): (NewCredentials & { totpStep: number }) | null {
  const chosen = openStep<NewCredentials>(deps, setUpOf(staffId), step);
  const totpStep = chosen && totpStepOf(chosen.secret, digitsOf(code), { now: Date.now(), after: 0 });
  return chosen && totpStep !== null ? { ...chosen, totpStep } : null;
}

/** In a transaction that has locked their row. Returns the new recovery codes; null if there is no password to keep. */
export async function saveSetUp(
  deps: Deps,
  staffId: number,
  { passwordHash, secret, totpStep }: NewCredentials & { totpStep: number },
  by: By,
): Promise<string[] | null> {
  const kept = passwordHash ?? (await store.findCredentials(deps.db, staffId))?.passwordHash;
  if (!kept) return null;
  const sealedTotp = deps.sealer.seal(secret, totpOf(staffId));
  await store.upsertCredentials(deps.db, staffId, { passwordHash: kept, sealedTotp, totpStep });
  if (passwordHash) await archiveSignIn(deps, by, { staffId }, { action: 'password chosen', of: {}, values: {} });
  await archiveSignIn(deps, by, { staffId }, { action: 'authenticator set up', of: {}, values: {} });
  return makeRecoveryCodes(deps, staffId, by);
}

/** Uses up a code of their authenticator app; false if it is wrong or was used. In a transaction. */
export async function takeTotp(deps: Deps, staffId: number, code: string): Promise<boolean> {
  const credentials = await store.findCredentials(deps.db, staffId);
  if (!credentials) return false;
  const secret = deps.sealer.open(credentials.sealedTotp, totpOf(staffId));
  const step = totpStepOf(secret, digitsOf(code), { now: Date.now(), after: credentials.totpStep });
  return step !== null && store.updateTotpStep(deps.db, staffId, step);
}

/** Whether it can be a code of an app, rather than a recovery code. */
export function isTotp(code: string): boolean {
  return /^\d{6}$/.test(digitsOf(code));
}

/** Somebody signed in changes their password: they are signed out everywhere else. False if they have none. */
export async function changePassword(
  deps: Deps,
  staffId: number,
  password: string,
  { keep, by }: { keep: string; by: By },
): Promise<boolean | { refused: 'short' }> {
  if (isTooShort(password)) return { refused: 'short' };
  const passwordHash = await hashPassword(password);
  return inTransaction(deps, async (deps) => {
    const isEnabled = await store.lockStaff(deps.db, staffId);
    const credentials = isEnabled ? await store.findCredentials(deps.db, staffId) : null;
    if (!credentials) return false;
    await store.upsertCredentials(deps.db, staffId, { ...credentials, passwordHash });
    await archiveSignIn(deps, by, { staffId }, { action: 'password chosen', of: {}, values: {} });
    await endSessions(deps, { staffId }, { except: keep });
    return true;
  });
}

/** Somebody signed in sets up another authenticator, or the first with a password: they are signed out everywhere else. */
export async function changeAuthenticator(
  deps: Deps,
  staffId: number,
  given: { step: string; code: string },
  { keep, by }: { keep: string; by: By },
): Promise<string[] | null> {
  const proven = provenSetUp(deps, staffId, given);
  if (!proven) return null;
  return inTransaction(deps, async (deps) => {
    if (!(await store.lockStaff(deps.db, staffId))) return null;
    const codes = await saveSetUp(deps, staffId, proven, by);
    if (codes) await endSessions(deps, { staffId }, { except: keep });
    return codes;
  });
}

/** New ones in place of those from before; null if they have no password that these would help with. */
export async function renewRecoveryCodes(deps: Deps, staffId: number, by: By): Promise<string[] | null> {
  return inTransaction(deps, async (deps) => {
    const isEnabled = await store.lockStaff(deps.db, staffId);
    if (!isEnabled || !(await store.findCredentials(deps.db, staffId))) return null;
    return makeRecoveryCodes(deps, staffId, by);
  });
}

/** Removes a passkey, unless it is the only thing that they can sign in with. */
export async function removeStaffPasskey(
  deps: Deps,
  staffId: number,
  passkeyId: string,
  by: By,
): Promise<'removed' | 'unknown' | 'last'> {
  return inTransaction(deps, async (deps) => {
    await store.lockStaff(deps.db, staffId);
    const { passkeys, hasPassword } = await staffAccess(deps, staffId);
    if (!hasPassword && passkeys.length === 1 && passkeys[0]?.passkeyId === passkeyId) return 'last';
    return (await removePasskey(deps, { staffId }, passkeyId, by)) ? 'removed' : 'unknown';
  });
}

/** Whatever somebody signed in with until now stops working: before they choose anew. */
export async function removeAccess(deps: Deps, staffId: number): Promise<void> {
  await endSessions(deps, { staffId });
  await deletePasskeys(deps.db, { staffId });
  await deleteChallengesOf(deps.db, { staffId });
  await deleteDevices(deps.db, { staffId });
  await store.deleteCredentials(deps.db, staffId);
  await deleteInvitationOf(deps.db, { staffId });
}

/** Seals every authenticator's secret again with the first key; returns how many. */
export async function resealAuthenticators(deps: Deps): Promise<number> {
  const all = await store.listCredentials(deps.db);
  for (const { staffId, sealedTotp } of all) {
    const secret = deps.sealer.open(sealedTotp, totpOf(staffId));
    const to = deps.sealer.seal(secret, totpOf(staffId));
    await store.updateSealedTotp(deps.db, staffId, { from: sealedTotp, to });
  }
  return all.length;
}

function shown(secret: string, email: string): { secret: string; link: string } {
  return { secret, link: totpLink(secret, email, 'Assent') };
}

/** Apps show a code as two groups. */
function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, '');
}

function setUpOf(staffId: number): string {
  return `set-up of staff ${staffId}`;
}

function totpOf(staffId: number): string {
  return `authenticator of staff ${staffId}`;
}
