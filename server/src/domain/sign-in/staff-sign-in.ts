import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/sign-in/staff-credentials.ts';
import { byStaff } from '../archive/archive.ts';
import { hashSecret } from '../shared/secrets.ts';
import { openStep, sealStep } from './form-steps.ts';
import { takeRecoveryCode } from './recovery-codes.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { type Attempt, countFailure } from './sign-in-failures.ts';
import { checkPassword, type PasswordAttempt } from './sign-ins.ts';
import { isTotp, takeTotp } from './staff-credentials.ts';
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
  attempt: PasswordAttempt,
): Promise<{ step: string; refused?: undefined } | { refused: 'wrong' } | ThrottleRefusal> {
  const checked = await checkPassword(deps, 'staff', attempt);
  if (checked.refused) return checked;
  await returnAttempt(deps, checked.from);
  const proof: PasswordProof = { staffId: checked.ownerId, password: fingerprintOf(checked.passwordHash) };
  return { step: sealStep(deps, secondStep, proof) };
}

/** The second step: a code of the authenticator app, or a recovery code. Both work once. */
export async function signInStaffByCode(
  deps: Deps,
  { step, code, ...attempt }: Attempt & { step: string; code: string },
): Promise<
  { session: NewSession; refused?: undefined } | { refused: 'wrong' } | { refused: 'expired' } | ThrottleRefusal
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
    const session = await beginSession(deps, { staffId }, { ...attempt, method: 'password', secondFactor });
    return session === null ? 'expired' : { session };
  });
  if (result === 'wrong')
    await countFailure(deps, `code of staff ${staffId}`, { staffId }, { ...attempt, method: 'code' });
  if (typeof result === 'string') return { refused: result };
  await returnAttempt(deps, throttles);
  return result;
}

/** Tells one password from another without carrying its hash around. */
function fingerprintOf(passwordHash: string): string {
  return hashSecret(passwordHash).toString('base64url');
}
