import { type Deps, inTransaction } from '../../deps.ts';
import { findAdvisorForUpdate, updateAdvisor } from '../../store/accounts/advisors.ts';
import { deleteDevices } from '../../store/sign-in/devices.ts';
import * as store from '../../store/sign-in/invitations.ts';
import { deletePasskeys } from '../../store/sign-in/passkeys.ts';
import { type By, byAdvisor, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { hashPassword, isTooShort } from './passwords.ts';
import { beginSession, endSessions, type NewSession } from './sessions.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { invitationThrottles, returnAttempt, takeAttempt } from './throttles.ts';

/** A link that works once. Only the hash of its code is stored. */
export type Invitation = { link: string; expires: Date };
export type Acceptance =
  | { session: NewSession; refused?: undefined }
  | { refused: 'unknown' | 'short' }
  | { refused: 'throttled'; retryAfterSeconds: number };

export const invitationMs = 24 * 60 * 60 * 1000;

/** For the first sign-in, or after a forgotten password, which keeps working until another is chosen. */
export async function inviteAdvisor(deps: Deps, advisorId: number, by: By = byOperator): Promise<Invitation> {
  const code = newToken();
  const expires = new Date(Date.now() + invitationMs);
  return inTransaction(deps, async (deps) => {
    const advisor = await findAdvisorForUpdate(deps.db, advisorId);
    if (!advisor || advisor.disabled)
      throw problem('conflict', 'This account is disabled, so nobody can sign in to it.');
    await store.upsertInvitation(deps.db, { advisorId }, hashSecret(code), expires);
    await archiveSignIn(deps, by, { advisorId }, { action: 'invited', of: {}, values: { expires } });
    // After the hash sign, which a browser doesn't send: so the code is in no server's log and in no Referer, and a
    // program that looks at links doesn't spend it.
    const link = `${deps.config.publicUrl}/invitation#${new URLSearchParams({ email: advisor.email, code })}`;
    return { link, expires };
  });
}

/** Spends the code, replaces the password and signs the advisor in. A wrong code and a wrong email get the same response. */
export async function acceptInvitation(
  deps: Deps,
  { email, code, password, ...attempt }: Attempt & { email: string; code: string; password: string },
): Promise<Acceptance> {
  const throttles = invitationThrottles(attempt.address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const codeHash = hashSecret(code);
  const advisorId = await store.findInvited(deps.db, { codeHash, email }, new Date());
  if (advisorId === null) return { refused: 'unknown' };
  await returnAttempt(deps, throttles);
  if (isTooShort(password)) return { refused: 'short' };

  const passwordHash = await hashPassword(password);
  const session = await inTransaction(deps, async (deps) => {
    // The advisor's row first, like every change of an account, to avoid deadlocks.
    const advisor = await findAdvisorForUpdate(deps.db, advisorId);
    if (!advisor || advisor.disabled || !(await store.deleteInvitation(deps.db, codeHash))) return null;
    await replacePassword(deps, advisorId, passwordHash);
    const chosen = { action: 'password chosen', of: {}, values: { address: attempt.address } } as const;
    await archiveSignIn(deps, byAdvisor(advisorId, attempt.traceId), { advisorId }, chosen);
    return beginSession(deps, advisorId, { ...attempt, method: 'password', checkedPasswordHash: passwordHash });
  });
  return session ? { session } : { refused: 'unknown' };
}

/**
 * Somebody who knew the old password may be signed in with it, or may have added a passkey to come back with. And a link
 * from before could undo the change.
 */
export async function replacePassword(deps: Deps, advisorId: number, passwordHash: string): Promise<void> {
  await updateAdvisor(deps.db, advisorId, { passwordHash });
  await endSessions(deps, advisorId);
  await deletePasskeys(deps.db, { advisorId });
  await deleteDevices(deps.db, { advisorId });
  await store.deleteInvitationOf(deps.db, { advisorId });
}
