import type { Deps } from '../../deps.ts';
import { findCredentials } from '../../store/accounts/advisors.ts';
import { forgetExpiredChallenges } from './passkey-challenges.ts';
import { verifyPassword } from './passwords.ts';
import { beginSession, forgetExpiredSessions, type NewSession } from './sessions.ts';
import { type Attempt, archiveFailures, countFailure } from './sign-in-failures.ts';
import { forgetFullBuckets, returnAttempt, signInThrottles, takeAttempt } from './throttles.ts';

export type SignIn =
  | { session: NewSession; refused?: undefined }
  | { refused: 'wrong' }
  | { refused: 'throttled'; retryAfterSeconds: number };

/**
 * Signs an advisor in. An unknown email, an advisor without a password and a disabled advisor are all treated like a
 * wrong password: the same answer after the same work.
 */
export async function signIn(
  deps: Deps,
  { email, password, address, traceId }: Attempt & { email: string; password: string },
): Promise<SignIn> {
  const { foldedEmail, advisorId, passwordHash } = await findCredentials(deps.db, email);
  const throttles = signInThrottles(foldedEmail, address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const right = await verifyPassword(password, passwordHash);
  const attempt = { method: 'password', address, traceId } as const;
  if (!right || advisorId === null) {
    await countFailure(deps, foldedEmail, { ...attempt, advisorId });
    return { refused: 'wrong' };
  }
  const session = await beginSession(deps, advisorId, { ...attempt, checkedPasswordHash: passwordHash });
  if (!session) return { refused: 'wrong' };
  await returnAttempt(deps, throttles);
  return { session };
}

/** Forgets expired sessions, unanswered challenges and full buckets, and archives the failures counted so far. */
export async function forgetExpiredSignIns(deps: Deps): Promise<void> {
  await archiveFailures(deps);
  await forgetExpiredSessions(deps);
  await forgetExpiredChallenges(deps);
  await forgetFullBuckets(deps);
}
