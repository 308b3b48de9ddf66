import type { Deps } from '../../src/deps.ts';
import { inviteNewStaff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import type { makePasskey } from './authenticator.ts';
import type { Visit, Visitor } from './visitor.ts';

type Passkey = ReturnType<typeof makePasskey>;
let people = 0;

/** Somebody new with a link, whose code this is. */
export async function invitedStaff(deps: Deps, firmId: number | null, role: StaffRole = 'compliance_officer') {
  const email = `person${++people}@staff.example`;
  const { staff, invitation } = await inviteNewStaff(deps, { firmId, name: 'Person', email, role });
  return { ...staff, code: codeIn(invitation.link) };
}

export function codeIn(link: string | null): string {
  return new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('code') ?? '';
}

/** Opens the link and adds a passkey, which signs them in; or what was refused. */
export async function enroll(
  visitor: Visitor,
  { email, code }: { email: string; code: string },
  passkey: Passkey,
  twist: Parameters<Passkey['register']>[1] = {},
): Promise<Visit> {
  await visitor.get('/console/invitation');
  const asked = await visitor.postJson('/console/invitation/passkey/options', { email, code });
  if (asked.status !== 200) return asked;
  const response = passkey.register(asked.body, twist);
  return visitor.postJson('/console/invitation/passkey', { email, code, response });
}

/** What the passkey answers at the page to sign in. */
export async function answerOf(visitor: Visitor, passkey: Passkey, staffId: number) {
  await visitor.get('/console/sign-in');
  const { body: challenge } = await visitor.postJson('/console/sign-in/passkey/options', {});
  const userHandle = Buffer.from(`staff ${staffId}`).toString('base64url');
  return passkey.signIn(challenge, staffId, { userHandle });
}

export async function signInWith(visitor: Visitor, passkey: Passkey, staffId: number, next = ''): Promise<Visit> {
  const response = await answerOf(visitor, passkey, staffId);
  return visitor.postJson('/console/sign-in/passkey', { response, next });
}
