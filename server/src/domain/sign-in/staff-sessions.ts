import { randomBytes } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { SignInMethod } from '../../store/sign-in/sessions.ts';
import type { StaffSessionRow } from '../../store/sign-in/staff-sessions.ts';
import * as store from '../../store/sign-in/staff-sessions.ts';
import { archive, byStaff, deployment } from '../archive/archive.ts';
import { hashSecret } from '../shared/secrets.ts';
import { sessionMs, unknownBrowser, wasSeenLately } from './sessions.ts';
import type { Attempt } from './sign-in-failures.ts';

export type StaffSession = StaffSessionRow;

/** The token of a new session of the console, which their browser keeps; null if they are disabled. */
export async function beginStaffSession(
  deps: Deps,
  staffId: number,
  { method, address, browser = unknownBrowser, traceId }: Omit<Attempt, 'device'> & { method: SignInMethod },
): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const created = new Date();
  const expires = new Date(created.getTime() + sessionMs);
  return inTransaction(deps, async (deps) => {
    const session = { sessionHash: hashSecret(token), staffId, method, browser, created, expires };
    if (!(await store.insertStaffSession(deps.db, session))) return null;
    await archiveStaffSignIn(deps, staffId, traceId, { action: 'signed in', values: { method, address } });
    return token;
  });
}

/** What the archive keeps about access to the console: never a password, a code or a key. */
export async function archiveStaffSignIn(
  deps: Deps,
  staffId: number,
  traceId: string | null,
  { action, values }: { action: string; values: object },
): Promise<void> {
  const entry = { advisorId: deployment, kind: 'sign_in', memberId: null, meta: { action, staffId } } as const;
  await archive(deps, byStaff(staffId, traceId), { ...entry, body: JSON.stringify(values) });
}

export async function findStaffSession(deps: Deps, token: string): Promise<StaffSession | null> {
  const session = await store.findStaffSession(deps.db, hashSecret(token), new Date());
  if (session && !wasSeenLately(session))
    await store.updateStaffSeen(deps.db, hashSecret(token), new Date()).catch(() => {});
  return session;
}

export async function endStaffSession(deps: Deps, token: string): Promise<void> {
  await store.deleteStaffSession(deps.db, hashSecret(token));
}

export async function endStaffSessions(deps: Pick<Deps, 'db'>, staffId: number): Promise<void> {
  await store.deleteStaffSessions(deps.db, staffId);
}
