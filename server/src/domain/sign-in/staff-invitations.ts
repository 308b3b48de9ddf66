import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import type { StaffRow } from '../../store/accounts/staff.ts';
import * as staffStore from '../../store/accounts/staff.ts';
import { deleteInvitation } from '../../store/sign-in/invitations.ts';
import { deleteChallengesOf } from '../../store/sign-in/passkey-challenges.ts';
import { deletePasskeys } from '../../store/sign-in/passkeys.ts';
import { type By, byOperator, byStaff } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { mailMessage } from '../shared/mail.ts';
import { hashSecret } from '../shared/secrets.ts';
import {
  accountDisabled,
  findInvited,
  type Invitation,
  type InvitationAttempt,
  type InvitationRefusal,
  makeInvitation,
} from './invitations.ts';
import { listPasskeys, registrationOptions, savePasskey, verifiedPasskey } from './passkeys.ts';
import { beginSession, endSessions, type NewSession } from './sessions.ts';
import { archiveSignIn } from './sign-in-records.ts';

type Invitee = Pick<StaffRow, 'staffId' | 'firmId' | 'name' | 'email'>;

/** A link at which they add their first passkey. Whoever could replace passkeys could sign in as their owner, so officers can't. */
export async function inviteNewcomer(deps: Deps, staff: Invitee, by: By): Promise<Invitation> {
  return (await invite(deps, staff, by, { mayReplace: false })).invitation;
}

/**
 * By an operator or the command: also for somebody who lost their passkeys. They and their firm's officers are told. Their passkeys keep
 * working until the link is used.
 */
export async function inviteStaff(deps: Deps, staff: Invitee, by: By = byOperator): Promise<Invitation> {
  const { invitation, isReplacing } = await invite(deps, staff, by, { mayReplace: true });
  if (isReplacing) await tell(deps, staff, null);
  return invitation;
}

/** The same in the console. If mail is set up, a link that replaces passkeys goes to their address alone, and the operator doesn't see it. */
export async function inviteStaffByMail(deps: Deps, staff: Invitee, by: By) {
  if (!deps.sendMail) return { ...(await inviteStaff(deps, staff, by)), mailedTo: null };
  const { invitation, isReplacing } = await invite(deps, staff, by, { mayReplace: true });
  if (!isReplacing) return { ...invitation, mailedTo: null };
  await tell(deps, staff, invitation.link);
  return { link: null, expires: invitation.expires, mailedTo: staff.email };
}

async function invite(
  deps: Deps,
  { staffId, name, email }: Invitee,
  by: By,
  { mayReplace }: { mayReplace: boolean },
): Promise<{ invitation: Invitation; isReplacing: boolean }> {
  if (by.actor === byStaff(staffId).actor)
    throw problem('conflict', 'You are signed in: add passkeys on the page for that, in the menu with your name.');
  return inTransaction(deps, async (deps) => {
    if (!(await staffStore.lockStaff(deps.db, staffId))) throw accountDisabled();
    const isReplacing = (await listPasskeys(deps, { staffId })).length > 0;
    if (isReplacing && !mayReplace)
      throw problem('conflict', `${name} has signed in already: only an operator can replace lost passkeys.`);
    if (isReplacing) await staffStore.updateReinvited(deps.db, staffId, deps.clock.now());
    await endSessions(deps, { staffId });
    const invitation = await makeInvitation(deps, { staffId }, { email, page: '/console/invitation' }, by);
    return { invitation, isReplacing };
  });
}

/** The link of a mail that failed was seen by nobody: another one replaces it. An officer's mail may fail: the console tells them too. */
async function tell({ db, sendMail, config }: Deps, staff: Invitee, link: string | null): Promise<void> {
  if (!sendMail) return;
  const officers = await staffStore.listOverseers(db, staff);
  const subject = `Assent: a link to replace the passkeys of ${staff.name}`;
  const mail = (address: string, lines: string[]) =>
    sendMail(mailMessage(config, { address, subject, text: [...lines, ''].join('\n') }));
  const [theirs] = await Promise.allSettled([
    mail(staff.email, [
      'An operator made a link at which you add a new passkey for the console. Once it is used, your passkeys from before',
      'no longer work. It works once, for 24 hours.',
      '',
      link ?? 'The operator reads it out to you.',
      '',
      'If you didn’t ask for it, don’t use it, and tell your operator.',
    ]),
    ...officers.map((address) =>
      mail(address, [
        `An operator made a link at which ${staff.name} (${staff.email}) replaces the passkeys for the console.`,
        '',
        `If ${staff.name} didn’t ask for it, disable the account, and tell your operator:`,
        `${config.publicUrl}/console/staff`,
      ]),
    ),
  ]);
  if (link && theirs.status === 'rejected')
    throw problem(
      'conflict',
      'The mail with the link could not be sent. On the machine, `assent staff invite` prints one.',
      {
        cause: theirs.reason,
      },
    );
}

export async function invitedPasskeyOptions(
  deps: Deps,
  given: InvitationAttempt,
): Promise<PublicKeyCredentialCreationOptionsJSON | InvitationRefusal | { refused: 'too_many' }> {
  const invited = await findInvited(deps, 'staff', given);
  return 'refused' in invited ? invited : registrationOptions(deps, { staffId: invited.ownerId }, invited, 'none');
}

/** The passkey spends the link, replaces those from before, and signs them in. */
export async function acceptByPasskey(
  deps: Deps,
  { response, ...given }: InvitationAttempt & { response: unknown },
): Promise<{ session: NewSession; refused?: undefined } | InvitationRefusal | { refused: 'not_verified' }> {
  const invited = await findInvited(deps, 'staff', given);
  if ('refused' in invited) return invited;
  const staffId = invited.ownerId;
  const passkey = await verifiedPasskey(deps, { staffId }, response);
  if (!passkey) return { refused: 'not_verified' };
  const by = byStaff(staffId, given.traceId);
  const session = await inTransaction(deps, async (deps) => {
    // Somebody else was quicker, a newer link replaced this one, or they were disabled.
    const isEnabled = await staffStore.lockStaff(deps.db, staffId);
    if (!isEnabled || !(await deleteInvitation(deps.db, hashSecret(given.code)))) return null;
    await endSessions(deps, { staffId });
    const replaced = await deletePasskeys(deps.db, { staffId });
    await deleteChallengesOf(deps.db, { staffId });
    const ended = { action: 'passkeys replaced', of: { passkeys: replaced }, values: {} } as const;
    if (replaced > 0) await archiveSignIn(deps, by, { staffId }, ended);
    const saved = await savePasskey(deps, { staffId }, passkey, by);
    if ('refused' in saved) throw problem('conflict', 'This passkey belongs to another account.');
    return beginSession(deps, { staffId }, { ...given, method: 'passkey' });
  });
  return session === null ? { refused: 'unknown' } : { session };
}
