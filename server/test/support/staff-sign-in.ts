import type { Deps } from '../../src/deps.ts';
import { inviteNewStaff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import { totpOf } from './totp.ts';
import type { Visit, Visitor } from './visitor.ts';

export const staffPassword = 'a long password';
let people = 0;

/** Somebody new with a link, whose code this is. */
export async function invitedStaff(deps: Deps, firmId: number | null, role: StaffRole = 'compliance_officer') {
  const email = `person${++people}@staff.example`;
  const { staff, invitation } = await inviteNewStaff(deps, { firmId, name: 'Person', email, role });
  return { staffId: staff.staffId, email, code: codeIn(invitation.link) };
}

export function codeIn(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '';
}

/** Chooses a password; the answer is the page with the app's secret. */
export async function choosePassword(
  visitor: Visitor,
  { email, code }: { email: string; code: string },
): Promise<Visit> {
  const page = await visitor.get('/console/invitation');
  const given = { email, code, password: staffPassword, repeated: staffPassword };
  return visitor.submit(page, '/console/invitation', given);
}

/** Chooses a password, sets up the app, and is signed in. */
export async function enroll(visitor: Visitor, invited: { email: string; code: string }) {
  const page = await choosePassword(visitor, invited);
  const secret = secretIn(page);
  const totp = totpOf(secret);
  const done = await visitor.submit(page, '/console/invitation/authenticator', { totp });
  return { secret, totp, codes: recoveryCodesIn(done) };
}

export function secretIn({ body }: Visit): string {
  return /secret=([A-Z2-7]{32})/.exec(body)?.[1] ?? '';
}

export function recoveryCodesIn({ body }: Visit): string[] {
  return [...String(body).matchAll(/<li><code>([\w-]+)<\/code>/g)].map(([, code = '']) => code);
}

export async function givePassword(
  visitor: Visitor,
  email: string,
  password = staffPassword,
  next = '',
): Promise<Visit> {
  const page = await visitor.get('/console/sign-in');
  return visitor.submit(page, '/console/sign-in', { email, password, next });
}

export async function giveCode(visitor: Visitor, page: Visit, totp: string): Promise<Visit> {
  return visitor.submit(page, '/console/sign-in/code', { totp });
}
