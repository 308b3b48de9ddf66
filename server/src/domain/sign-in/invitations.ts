import { type Deps, inTransaction } from '../../deps.ts';
import { findAdvisorForUpdate, updateAdvisor } from '../../store/accounts/advisors.ts';
import { deleteDevices } from '../../store/sign-in/devices.ts';
import * as store from '../../store/sign-in/invitations.ts';
import type { Owner, OwnerKind } from '../../store/sign-in/owners.ts';
import { deleteChallengesOf } from '../../store/sign-in/passkey-challenges.ts';
import { deletePasskeys } from '../../store/sign-in/passkeys.ts';
import { type By, byAdvisor, byOperator } from '../archive/archive.ts';
import { type Problem, problem } from '../problems.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { hashPassword, isTooShort } from './passwords.ts';
import { beginSession, endSessions, type NewSession } from './sessions.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { invitationThrottles, returnAttempt, takeAttempt } from './throttles.ts';

/** A link that works once. Only the hash of its code is stored. */
export type Invitation = { link: string; expires: Date };
export type InvitationAttempt = Attempt & { email: string; code: string };
export type InvitationRefusal = { refused: 'unknown' } | { refused: 'throttled'; retryAfterSeconds: number };

const invitationMs = dayMs;

/** For the first sign-in, or after a forgotten password, which keeps working until another is chosen. */
export async function inviteAdvisor(deps: Deps, advisorId: number, by: By = byOperator): Promise<Invitation> {
  return inTransaction(deps, async (deps) => {
    const advisor = await findAdvisorForUpdate(deps.db, advisorId);
    if (!advisor || advisor.disabled) throw accountDisabled();
    return makeInvitation(deps, { advisorId }, { email: advisor.email, page: '/invitation' }, by);
  });
}

export function accountDisabled(): Problem {
  return problem('conflict', 'This account is disabled, so nobody can sign in to it.');
}

/** In a transaction that has locked the owner's row. */
export async function makeInvitation(
  deps: Deps,
  owner: Owner,
  { email, page }: { email: string; page: string },
  by: By,
): Promise<Invitation> {
  const code = newToken();
  const expires = realTimeIn(deps, invitationMs);
  await store.upsertInvitation(deps.db, owner, hashSecret(code), expires);
  await archiveSignIn(deps, by, owner, { action: 'invited', of: {}, values: { expires } });
  // After the hash sign, which a browser doesn't send: so the code is in no server's log and in no Referer, and a
  // program that looks at links doesn't spend it.
  return { link: `${deps.config.publicUrl}${page}#${new URLSearchParams({ email, code })}`, expires };
}

/** Spends the code, replaces the password and signs the advisor in. */
export async function acceptInvitation(
  deps: Deps,
  { password, ...given }: InvitationAttempt & { password: string },
): Promise<{ session: NewSession; refused?: undefined } | InvitationRefusal | { refused: 'short' }> {
  const invited = await findInvited(deps, 'advisor', given);
  if ('refused' in invited) return invited;
  const advisorId = invited.ownerId;
  if (isTooShort(password)) return { refused: 'short' };

  const passwordHash = await hashPassword(password);
  const session = await inTransaction(deps, async (deps) => {
    // The advisor's row first, like every change of an account, to avoid deadlocks.
    const advisor = await findAdvisorForUpdate(deps.db, advisorId);
    if (!advisor || advisor.disabled || !(await store.deleteInvitation(deps.db, hashSecret(given.code)))) return null;
    await replacePassword(deps, advisorId, passwordHash);
    const chosen = { action: 'password chosen', of: {}, values: { address: given.address } } as const;
    await archiveSignIn(deps, byAdvisor(advisorId, given.traceId), { advisorId }, chosen);
    return beginSession(deps, { advisorId }, { ...given, method: 'password', checkedPasswordHash: passwordHash });
  });
  return session ? { session } : { refused: 'unknown' };
}

/** Whom the code invites. A wrong code and a wrong email get the same response. */
export async function findInvited(
  deps: Deps,
  kind: OwnerKind,
  { email, code, address }: InvitationAttempt,
): Promise<store.Invitee | InvitationRefusal> {
  const throttles = invitationThrottles(address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };
  const given = { codeHash: hashSecret(code), email };
  const invited = await store.findInvited(deps.db, kind, given, deps.databaseClock.now());
  if (!invited) return { refused: 'unknown' };
  await returnAttempt(deps, throttles);
  return invited;
}

/**
 * Somebody who knew the old password may be signed in with it, or may have added a passkey to come back with. And a link
 * from before could undo the change.
 */
export async function replacePassword(deps: Deps, advisorId: number, passwordHash: string): Promise<void> {
  await updateAdvisor(deps.db, advisorId, { passwordHash });
  await endSessions(deps, { advisorId });
  await deletePasskeys(deps.db, { advisorId });
  await deleteChallengesOf(deps.db, { advisorId });
  await deleteDevices(deps.db, advisorId);
  await store.deleteInvitationOf(deps.db, { advisorId });
}
