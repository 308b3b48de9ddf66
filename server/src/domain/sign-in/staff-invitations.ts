import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import { deleteInvitation } from '../../store/sign-in/invitations.ts';
import { lockStaff } from '../../store/sign-in/staff-credentials.ts';
import { type By, byOperator, byStaff } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hashSecret } from '../shared/secrets.ts';
import {
  accountDisabled,
  findInvited,
  type Invitation,
  type InvitationAttempt,
  type InvitationRefusal,
  makeInvitation,
} from './invitations.ts';
import { registrationOptions, savePasskey, verifiedPasskey } from './passkeys.ts';
import { beginSession, endSessions, type NewSession } from './sessions.ts';
import { beginSetUp, provenSetUp, removeAccess, type SetUp, saveSetUp, setUpIn } from './staff-credentials.ts';

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
  return inTransaction(deps, async (deps) => {
    if (!(await lockStaff(deps.db, staffId))) throw accountDisabled();
    await endSessions(deps, { staffId });
    return makeInvitation(deps, { staffId }, { email, page: '/console/invitation' }, by);
  });
}

/** The first step with a password: it is chosen, and an authenticator app is to be set up. Spends nothing. */
export async function chooseStaffPassword(
  deps: Deps,
  { password, ...given }: InvitationAttempt & { password: string },
): Promise<SetUp | InvitationRefusal | { refused: 'short' }> {
  const invited = await findInvitedStaff(deps, given);
  return 'refused' in invited ? invited : beginSetUp(deps, invited, password);
}

/** The second step: the app's first code spends the link, replaces whatever they had, and signs them in. */
export async function acceptByAuthenticator(
  deps: Deps,
  { step, totp, ...given }: InvitationAttempt & { step: string; totp: string },
): Promise<{ session: NewSession; recoveryCodes: string[] } | InvitationRefusal | { refused: 'wrong'; setUp: SetUp }> {
  const invited = await findInvitedStaff(deps, given);
  if ('refused' in invited) return invited;
  const setUp = setUpIn(deps, invited, step);
  if (!setUp) return { refused: 'unknown' };
  const { staffId } = invited;
  const proven = provenSetUp(deps, staffId, { step, code: totp });
  if (!proven) return { refused: 'wrong', setUp };
  const accepted = await accept(deps, staffId, given, async (deps) => {
    const recoveryCodes = await saveSetUp(deps, staffId, proven, byStaff(staffId, given.traceId));
    const signedIn = { ...given, method: 'password', secondFactor: 'authenticator' } as const;
    const session = await beginSession(deps, { staffId }, signedIn);
    return session !== null && recoveryCodes ? { session, recoveryCodes } : null;
  });
  return accepted ?? { refused: 'unknown' };
}

export async function invitedPasskeyOptions(
  deps: Deps,
  given: InvitationAttempt,
): Promise<PublicKeyCredentialCreationOptionsJSON | InvitationRefusal | { refused: 'too_many' }> {
  const invited = await findInvitedStaff(deps, given);
  return 'refused' in invited ? invited : registrationOptions(deps, { staffId: invited.staffId }, invited, 'none');
}

/** A passkey alone is enough: it spends the link, replaces whatever they had, and signs them in. */
export async function acceptByPasskey(
  deps: Deps,
  { response, ...given }: InvitationAttempt & { response: unknown },
): Promise<{ session: NewSession; refused?: undefined } | InvitationRefusal | { refused: 'not_verified' }> {
  const invited = await findInvitedStaff(deps, given);
  if ('refused' in invited) return invited;
  const { staffId } = invited;
  const passkey = await verifiedPasskey(deps, { staffId }, response);
  if (!passkey) return { refused: 'not_verified' };
  const session = await accept(deps, staffId, given, async (deps) => {
    const saved = await savePasskey(deps, { staffId }, passkey, byStaff(staffId, given.traceId));
    if ('refused' in saved) throw problem('conflict', 'This passkey belongs to another account.');
    return beginSession(deps, { staffId }, { ...given, method: 'passkey' });
  });
  return session === null ? { refused: 'unknown' } : { session };
}

async function findInvitedStaff(deps: Deps, given: InvitationAttempt) {
  const invited = await findInvited(deps, 'staff', given);
  return 'refused' in invited ? invited : { ...invited, staffId: invited.ownerId };
}

/** Null if somebody else was quicker, a newer link replaced this one, or they were disabled. Then nothing is changed. */
async function accept<Result>(
  deps: Deps,
  staffId: number,
  { code }: InvitationAttempt,
  save: (deps: Deps) => Promise<Result | null>,
): Promise<Result | null> {
  return inTransaction(deps, async (deps) => {
    if (!(await lockStaff(deps.db, staffId)) || !(await deleteInvitation(deps.db, hashSecret(code)))) return null;
    await removeAccess(deps, staffId);
    return save(deps);
  });
}
