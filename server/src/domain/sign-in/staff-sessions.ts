import { type Deps, inTransaction } from '../../deps.ts';
import type { SignInMethod } from '../../store/sign-in/sessions.ts';
import type { StaffSessionRow } from '../../store/sign-in/staff-sessions.ts';
import * as store from '../../store/sign-in/staff-sessions.ts';
import { byStaff } from '../archive/archive.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { rememberDevice } from './devices.ts';
import { listedMax, type OwnSession, ownSession, sessionMs, unknownBrowser, wasSeenLately } from './sessions.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn } from './sign-in-records.ts';

export type StaffSession = StaffSessionRow;
/** Their browser keeps both tokens; we store only their SHA-256. */
export type NewStaffSession = { token: string; device: string };

/** A console that nobody uses for an hour signs itself out: it shows what a firm's clients wrote, in an office. */
const idleMs = 60 * 60 * 1000;

type Beginning = Attempt & {
  method: SignInMethod;
  /** What came after the password. */
  secondFactor?: 'authenticator' | 'recovery code';
};

/** A new session of the console; null if they are disabled. */
export async function beginStaffSession(
  deps: Deps,
  staffId: number,
  { method, secondFactor, address, device, browser = unknownBrowser, traceId }: Beginning,
): Promise<NewStaffSession | null> {
  const token = newToken();
  const created = new Date();
  const expires = new Date(created.getTime() + sessionMs);
  return inTransaction(deps, async (deps) => {
    const session = { sessionHash: hashSecret(token), staffId, method, browser, created, expires };
    if (!(await store.insertStaffSession(deps.db, session))) return null;
    const of = { method, ...(secondFactor && { secondFactor }) };
    const by = byStaff(staffId, traceId);
    await archiveSignIn(deps, by, { staffId }, { action: 'signed in', of, values: { address } });
    return { token, device: await rememberDevice(deps, { staffId }, device) };
  });
}

/** What a page that was left open asks by itself is no use of the session. */
export async function findStaffSession(
  deps: Deps,
  token: string,
  { isUsed }: { isUsed: boolean },
): Promise<StaffSession | null> {
  const now = new Date();
  const seenSince = new Date(now.getTime() - idleMs);
  const session = await store.findStaffSession(deps.db, hashSecret(token), { now, seenSince });
  if (session && isUsed && !wasSeenLately(session))
    await store.updateStaffSeen(deps.db, hashSecret(token), now).catch(() => {});
  return session;
}

/** Where they are signed in. */
export async function listStaffSessions(deps: Deps, staffId: number, token: string): Promise<OwnSession[]> {
  const now = new Date();
  const seenSince = new Date(now.getTime() - idleMs);
  const sessions = await store.listStaffSessions(deps.db, staffId, { now, seenSince }, listedMax);
  return sessions.map((session) => ownSession(session, token));
}

export async function endStaffSession(deps: Deps, token: string): Promise<void> {
  await store.deleteStaffSession(deps.db, hashSecret(token));
}

/** All of them, or all but the one with this token. */
export async function endStaffSessions(
  deps: Pick<Deps, 'db'>,
  staffId: number,
  { except }: { except?: string } = {},
): Promise<void> {
  const kept = except === undefined ? Buffer.alloc(0) : hashSecret(except);
  await store.deleteStaffSessionsOf(deps.db, staffId, { except: kept });
}
