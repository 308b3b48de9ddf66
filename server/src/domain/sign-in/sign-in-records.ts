import type { Deps } from '../../deps.ts';
import { archive, type By } from '../archive/archive.ts';

/** What the archive keeps about access to an advisor's account: never a password, a token or a key. */
export type SignInEvent = {
  action:
    | 'invited'
    | 'password chosen'
    | 'signed in'
    | 'signed out elsewhere'
    | 'passkey added'
    | 'passkey removed'
    | 'application allowed'
    | 'application disconnected'
    | 'application tokens ended';
  of: Record<string, number | string>;
  values: object;
};

export async function archiveSignIn(
  deps: Deps,
  by: By,
  advisorId: number,
  { action, of, values }: SignInEvent,
): Promise<void> {
  const entry = { advisorId, kind: 'sign_in', memberId: null, meta: { action, ...of } } as const;
  await archive(deps, by, { ...entry, body: JSON.stringify(values) });
}
