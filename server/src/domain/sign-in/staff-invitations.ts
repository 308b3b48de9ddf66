import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/sign-in/invitations.ts';
import { lockStaff } from '../../store/sign-in/staff-credentials.ts';
import { type By, byOperator, byStaff } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { type Invitation, invitationMs } from './invitations.ts';
import { registrationOptions, savePasskey, verifiedPasskey } from './passkeys.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { beginSetUp, provenSetUp, removeAccess, type SetUp, saveSetUp, setUpIn } from './staff-credentials.ts';
import { beginStaffSession, endStaffSessions, type NewStaffSession } from './staff-sessions.ts';
import { invitationThrottles, returnAttempt, takeAttempt } from './throttles.ts';

export type InvitationAttempt = Attempt & { email: string; code: string };
type Invitee = { staffId: number; name: string; email: string };
type Refusal = { refused: 'unknown' } | { refused: 'throttled'; retryAfterSeconds: number };

/**
 * A link at which they choose how to sign in: for the first time, or after they lost what they had. It signs them out everywhere;
 * what they have keeps working until they choose anew.
 */
export async function inviteStaff(
  deps: Deps,
  { staffId, email }: { staffId: number; email: string },
  by: By = byOperator,
): Promise<Invitation> {
  if (by.actor === byStaff(staffId).actor)
    throw problem(
      'conflict',
      'You are signed in: change how you sign in on the page for that, in the menu with your name.',
    );
  const code = newToken();
  const expires = new Date(Date.now() + invitationMs);
  return inTransaction(deps, async (deps) => {
    if (!(await lockStaff(deps.db, staffId)))
      throw problem('conflict', 'This account is disabled, so nobody can sign in to it.');
    await endStaffSessions(deps, staffId);
    await store.upsertInvitation(deps.db, { staffId }, hashSecret(code), expires);
    await archiveSignIn(deps, by, { staffId }, { action: 'invited', of: {}, values: { expires } });
    const link = `${deps.config.publicUrl}/console/invitation#${new URLSearchParams({ email, code })}`;
    return { link, expires };
  });
}

/** The first step with a password: it is chosen, and an authenticator app is to be set up. Spends nothing. */
export async function chooseStaffPassword(
  deps: Deps,
  { password, ...given }: InvitationAttempt & { password: string },
): Promise<SetUp | Refusal | { refused: 'short' }> {
  const invited = await findInvited(deps, given);
  return 'refused' in invited ? invited : beginSetUp(deps, invited, password);
}

/** The second step: the app's first code spends the link, replaces whatever they had, and signs them in. */
export async function acceptByAuthenticator(
  deps: Deps,
  { step, totp, ...given }: InvitationAttempt & { step: string; totp: string },
): Promise<{ session: NewStaffSession; recoveryCodes: string[] } | Refusal | { refused: 'wrong'; setUp: SetUp }> {
  const invited = await findInvited(deps, given);
  if ('refused' in invited) return invited;
  const setUp = setUpIn(deps, invited, step);
  if (!setUp) return { refused: 'unknown' };
  const { staffId } = invited;
  const proven = provenSetUp(deps, staffId, { step, code: totp });
  if (!proven) return { refused: 'wrong', setUp };
  const accepted = await accept(deps, staffId, given, async (deps) => {
    const recoveryCodes = await saveSetUp(deps, staffId, proven, byStaff(staffId, given.traceId));
    const signedIn = { ...given, method: 'password', secondFactor: 'authenticator' } as const;
    const session = await beginStaffSession(deps, staffId, signedIn);
    return session !== null && recoveryCodes ? { session, recoveryCodes } : null;
  });
  return accepted ?? { refused: 'unknown' };
}

export async function invitedPasskeyOptions(
  deps: Deps,
  given: InvitationAttempt,
): Promise<PublicKeyCredentialCreationOptionsJSON | Refusal | { refused: 'too_many' }> {
  const invited = await findInvited(deps, given);
  return 'refused' in invited ? invited : registrationOptions(deps, { staffId: invited.staffId }, invited, 'none');
}

/** A passkey alone is enough: it spends the link, replaces whatever they had, and signs them in. */
export async function acceptByPasskey(
  deps: Deps,
  { response, ...given }: InvitationAttempt & { response: unknown },
): Promise<{ session: NewStaffSession; refused?: undefined } | Refusal | { refused: 'not_verified' }> {
  const invited = await findInvited(deps, given);
  if ('refused' in invited) return invited;
  const { staffId } = invited;
  const passkey = await verifiedPasskey(deps, { staffId }, response);
  if (!passkey) return { refused: 'not_verified' };
  const session = await accept(deps, staffId, given, async (deps) => {
    const saved = await savePasskey(deps, { staffId }, passkey, byStaff(staffId, given.traceId));
    if ('refused' in saved) throw problem('conflict', 'This passkey belongs to another account.');
    return beginStaffSession(deps, staffId, { ...given, method: 'passkey' });
  });
  return session === null ? { refused: 'unknown' } : { session };
}

/** Whom the code invites. A wrong code and a wrong email get the same response. */
async function findInvited(deps: Deps, { email, code, address }: InvitationAttempt): Promise<Invitee | Refusal> {
  const throttles = invitationThrottles(address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };
  const invited = await store.findInvitedStaff(deps.db, { codeHash: hashSecret(code), email }, new Date());
  if (!invited) return { refused: 'unknown' };
  await returnAttempt(deps, throttles);
  return invited;
}

/** Null if somebody else was quicker, a newer link replaced this one, or they were disabled. Then nothing is changed. */
async function accept<Result>(
  deps: Deps,
  staffId: number,
  { code }: InvitationAttempt,
  save: (deps: Deps) => Promise<Result | null>,
): Promise<Result | null> {
  return inTransaction(deps, async (deps) => {
    if (!(await lockStaff(deps.db, staffId)) || !(await store.deleteInvitation(deps.db, hashSecret(code)))) return null;
    await removeAccess(deps, staffId);
    return save(deps);
  });
}
