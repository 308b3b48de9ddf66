import type { Deps } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import { archive, type By, byAdvisor, byStaff, deployment } from '../archive/archive.ts';

/** What the archive keeps about access to an account: never a password, a token or a key. */
type SignInEvent = {
  action:
    | 'invited'
    | 'password chosen'
    | 'signed in'
    | 'signed out elsewhere'
    | 'passkey added'
    | 'passkey removed'
    | 'passkeys replaced'
    | 'application allowed'
    | 'application disconnected'
    | 'application tokens ended';
  of: Record<string, number | string>;
  values: object;
};

export async function archiveSignIn(
  deps: Deps,
  by: By,
  { advisorId = deployment, staffId }: Owner,
  { action, of, values }: SignInEvent,
): Promise<void> {
  const meta = { action, ...(staffId !== undefined && { staffId }), ...of };
  const entry = { advisorId, kind: 'sign_in', memberId: null, meta } as const;
  await archive(deps, by, { ...entry, body: JSON.stringify(values) });
}

export function byOwner({ advisorId, staffId }: Owner, traceId: string | null): By {
  return staffId === undefined ? byAdvisor(advisorId, traceId) : byStaff(staffId, traceId);
}
