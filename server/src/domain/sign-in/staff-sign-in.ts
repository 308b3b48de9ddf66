import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/sign-in/staff-credentials.ts';
import { byStaff } from '../archive/archive.ts';
import { hashSecret } from '../shared/secrets.ts';
import { openStep, sealStep } from './form-steps.ts';
import { signInOwner } from './passkey-sign-in.ts';
import { verifyPassword } from './passwords.ts';
import { takeRecoveryCode } from './recovery-codes.ts';
import { type Attempt, countFailure } from './sign-in-failures.ts';
import { takeSignIn } from './sign-ins.ts';
import { isTotp, takeTotp } from './staff-credentials.ts';
import { beginStaffSession, type NewStaffSession } from './staff-sessions.ts';
import { codeThrottles, returnAttempt, takeAttempt } from './throttles.ts';

type ThrottleRefusal = { refused: 'throttled'; retryAfterSeconds: number };

/** Who has given their password, and which. */
type PasswordProof = { staffId: number; password: string };
const secondStep = 'second step of a sign-in to the console';

/**
 * The first step of signing in with a password: it gives the field for the second, and no session. An unknown email, somebody without a
 * password and a disabled account are all treated like a wrong password: the same response after the same work.
 */
export async function checkStaffPassword(
  deps: Deps,
  { email, password, address, device, traceId }: Attempt & { email: string; password: string },
): Promise<{ step: string; refused?: undefined } | { refused: 'wrong' } | ThrottleRefusal> {
  const { foldedEmail, staffId, passwordHash } = await store.findStaffPassword(deps.db, email);
  const account = `staff ${foldedEmail}`;
  const owner = staffId === null ? null : { staffId };
  const taken = await takeSignIn(deps, { account, owner, address, device });
  if ('retryAfterSeconds' in taken) return { refused: 'throttled', ...taken };

  const right = await verifyPassword(password, passwordHash);
  if (!right || staffId === null || passwordHash === null) {
    await countFailure(deps, account, owner, { method: 'password', address, traceId });
    return { refused: 'wrong' };
  }
  await returnAttempt(deps, taken.from);
  const checked: PasswordProof = { staffId, password: fingerprintOf(passwordHash) };
  return { step: sealStep(deps, secondStep, checked) };
}

/** The second step: a code of the authenticator app, or a recovery code. Both work once. */
export async function signInStaffByCode(
  deps: Deps,
  { step, code, ...attempt }: Attempt & { step: string; code: string },
): Promise<
  { session: NewStaffSession; refused?: undefined } | { refused: 'wrong' } | { refused: 'expired' } | ThrottleRefusal
> {
  const checked = openStep<PasswordProof>(deps, secondStep, step);
  if (!checked) return { refused: 'expired' };
  const { staffId } = checked;
  const throttles = codeThrottles(staffId, attempt.address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const result = await inTransaction(deps, async (deps) => {
    const isEnabled = await store.lockStaff(deps.db, staffId);
    const credentials = isEnabled ? await store.findCredentials(deps.db, staffId) : null;
    // Since the first step, they may have been disabled, or invited anew, or have chosen another password.
    if (!credentials || fingerprintOf(credentials.passwordHash) !== checked.password) return 'expired';
    const by = byStaff(staffId, attempt.traceId);
    const secondFactor = isTotp(code) ? 'authenticator' : 'recovery code';
    const right = await (isTotp(code) ? takeTotp(deps, staffId, code) : takeRecoveryCode(deps, staffId, code, by));
    if (!right) return 'wrong';
    const session = await beginStaffSession(deps, staffId, { ...attempt, method: 'password', secondFactor });
    return session === null ? 'expired' : { session };
  });
  if (result === 'wrong')
    await countFailure(deps, `code of staff ${staffId}`, { staffId }, { ...attempt, method: 'code' });
  if (typeof result === 'string') return { refused: result };
  await returnAttempt(deps, throttles);
  return result;
}

/** A passkey is enough alone: it is something that they have, and it checks who they are. */
export async function signInStaffByPasskey(deps: Deps, given: unknown, attempt: Attempt) {
  return signInOwner(deps, 'staff', given, attempt, (deps, staffId) =>
    beginStaffSession(deps, staffId, { ...attempt, method: 'passkey' }),
  );
}

/** Tells one password from another without carrying its hash around. */
function fingerprintOf(passwordHash: string): string {
  return hashSecret(passwordHash).toString('base64url');
}
