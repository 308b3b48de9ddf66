import type { Deps } from '../../deps.ts';
import { findPassword } from '../../store/sign-in/passwords.ts';
import { forgetBefore } from '../shared/in-batches.ts';
import { isDeviceOf } from './devices.ts';
import { verifyPassword } from './passwords.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { type Attempt, archiveFailures, countFailure } from './sign-in-failures.ts';
import { type Bucket, deviceThrottles, fullAfterMs, returnAttempt, signInThrottles, takeAttempt } from './throttles.ts';

type Refusal = { refused: 'wrong' } | { refused: 'throttled'; retryAfterSeconds: number };
type SignIn = { session: NewSession; refused?: undefined } | Refusal;

type PasswordAttempt = Attempt & { email: string; password: string };

/**
 * Signs an advisor in. An unknown email, an advisor without a password and a disabled advisor are all treated like a
 * wrong password: the same response after the same work.
 */
export async function signIn(deps: Deps, { email, password, ...attempt }: PasswordAttempt): Promise<SignIn> {
  const { foldedEmail: account, advisorId, passwordHash } = await findPassword(deps.db, email);
  const taken = await takeSignIn(deps, { ...attempt, account, advisorId });
  if ('retryAfterSeconds' in taken) return { refused: 'throttled', ...taken };
  const right = await verifyPassword(password, passwordHash);
  if (!right || advisorId === null) {
    const owner = advisorId === null ? null : { advisorId };
    await countFailure(deps, account, owner, { ...attempt, method: 'password' });
    return { refused: 'wrong' };
  }
  const method = { method: 'password', checkedPasswordHash: passwordHash } as const;
  const session = await beginSession(deps, { advisorId }, { ...attempt, ...method });
  if (!session) return { refused: 'wrong' };
  await returnAttempt(deps, taken.from);
  return { session };
}

/** Signs in as an advisor of the sandbox without any proof: null if there is no such advisor. */
export async function signInToSandbox(deps: Deps, advisorId: number, attempt: Attempt): Promise<NewSession | null> {
  if (deps.config.environment !== 'sandbox') throw new Error('Only a sandbox signs anyone in.');
  return beginSession(deps, { advisorId }, { ...attempt, method: 'sandbox' });
}

/**
 * Takes an attempt. A browser in which the account's owner has signed in before has attempts of its own, which strangers can't
 * use up, so they can't keep the owner out. When those are used up, it is a browser like any other.
 */
async function takeSignIn(
  deps: Deps,
  {
    account,
    advisorId,
    address,
    device,
  }: Pick<Attempt, 'address' | 'device'> & { account: string; advisorId: number | null },
): Promise<{ from: Bucket[] } | { retryAfterSeconds: number }> {
  if (device && advisorId !== null && (await isDeviceOf(deps, advisorId, device))) {
    const own = deviceThrottles(account, device);
    if ((await takeAttempt(deps, own)) === null) return { from: own };
  }
  const shared = signInThrottles(account, address);
  const retryAfterSeconds = await takeAttempt(deps, shared);
  return retryAfterSeconds === null ? { from: shared } : { retryAfterSeconds };
}

export async function forgetExpiredSignIns(deps: Deps): Promise<void> {
  await archiveFailures(deps);
  const now = deps.databaseClock.now();
  for (const table of ['sessions', 'devices', 'invitations', 'passkey_challenges'] as const)
    await forgetBefore(deps, table, now);
  await forgetBefore(deps, 'throttles', new Date(now.getTime() - fullAfterMs));
}
