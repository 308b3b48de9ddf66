import { type Deps, inTransaction } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import type { SessionRow, SignInMethod } from '../../store/sign-in/sessions.ts';
import * as store from '../../store/sign-in/sessions.ts';
import { deleteStaffSessionsOf } from '../../store/sign-in/staff-sessions.ts';
import { type By, byAdvisor } from '../archive/archive.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { rememberDevice } from './devices.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn } from './sign-in-records.ts';

export type Session = SessionRow;
/** The advisor's browser keeps both tokens; we store only their SHA-256. */
export type NewSession = { token: string; device: string; advisorId: number };

export const sessionMs = 12 * 60 * 60 * 1000;
const freshMs = 5 * 60 * 1000;
/** Written at most this often: a request must not wait for it. */
const seenMs = 5 * 60 * 1000;
export const listedMax = 100;
export const unknownBrowser = 'A browser';

/** The new session, or null if the advisor may no longer sign in, or not with the password that was checked. */
export async function beginSession(
  deps: Deps,
  advisorId: number,
  { method, checkedPasswordHash = null, address, device, browser = unknownBrowser, traceId }: BeginSession,
): Promise<NewSession | null> {
  const token = newToken();
  const created = new Date();
  const expires = new Date(created.getTime() + sessionMs);
  const session = { sessionHash: hashSecret(token), advisorId, method, browser, created, expires };
  return inTransaction(deps, async (deps) => {
    if (!(await store.insertSession(deps.db, session, checkedPasswordHash))) return null;
    const signedIn = { action: 'signed in', of: { method }, values: { address } } as const;
    await archiveSignIn(deps, byAdvisor(advisorId, traceId), { advisorId }, signedIn);
    return { token, device: await rememberDevice(deps, { advisorId }, device), advisorId };
  });
}

type BeginSession = Attempt & { method: SignInMethod; checkedPasswordHash?: string | null };

export async function findSession(deps: Deps, token: string): Promise<Session | null> {
  return store.findSession(deps.db, hashSecret(token), new Date());
}

/** Those of the tokens whose session goes on: one query, however many they are. */
export async function listOpenSessions(deps: Pick<Deps, 'db'>, tokens: string[]): Promise<Set<string>> {
  const hashes = tokens.map((token) => hashSecret(token));
  const open = await store.listOpenSessions(deps.db, hashes, new Date());
  return new Set(tokens.filter((_, index) => open.some((hash) => hashes[index]?.equals(hash))));
}

/** Whether the advisor signed in just now. A session that somebody stole is usually older, and can't be made fresh. */
export function isFresh({ signedInAt }: Pick<Session, 'signedInAt'>): boolean {
  return Date.now() - signedInAt.getTime() < freshMs;
}

/** Notes that the session is in use. What can't be written is left out: whoever is signed in can still read. */
export async function noteSeen(deps: Deps, token: string, { seenAt }: Session): Promise<void> {
  if (wasSeenLately({ seenAt })) return;
  await store.updateSeen(deps.db, hashSecret(token), new Date()).catch(() => {});
}

export function wasSeenLately({ seenAt }: Pick<Session, 'seenAt'>): boolean {
  return Date.now() - seenAt.getTime() < seenMs;
}

/** Where the advisor is signed in. The id is no secret: the token can't be found from it. */
export type OwnSession = Pick<store.ListedSession, 'method' | 'browser' | 'signedInAt' | 'seenAt'> & {
  sessionId: string;
  isThis: boolean;
};

export async function listSessions(deps: Deps, advisorId: number, token: string): Promise<OwnSession[]> {
  const sessions = await store.listSessions(deps.db, advisorId, new Date(), listedMax);
  return sessions.map((session) => ownSession(session, token));
}

export function ownSession({ sessionHash, ...rest }: store.ListedSession, token: string): OwnSession {
  return { ...rest, sessionId: sessionHash.toString('hex'), isThis: hashSecret(token).equals(sessionHash) };
}

/** Signs an advisor or staff member out in one other browser, or in all others. Returns in how many. */
export async function signOutElsewhere(
  deps: Deps,
  owner: Owner,
  which: { sessionId: string } | { except: string },
  by: By,
): Promise<number> {
  const sessions =
    'sessionId' in which ? { only: Buffer.from(which.sessionId, 'hex') } : { except: hashSecret(which.except) };
  return inTransaction(deps, async (deps) => {
    const ended = await (owner.staffId === undefined
      ? store.deleteSessionsOf(deps.db, owner.advisorId, sessions)
      : deleteStaffSessionsOf(deps.db, owner.staffId, sessions));
    const signedOut = { action: 'signed out elsewhere', of: { sessions: ended }, values: {} } as const;
    if (ended > 0) await archiveSignIn(deps, by, owner, signedOut);
    return ended;
  });
}

export async function signOut(deps: Deps, token: string): Promise<void> {
  await store.deleteSession(deps.db, hashSecret(token));
}

export async function endSessions(deps: Pick<Deps, 'db'>, advisorId: number): Promise<void> {
  await store.deleteSessions(deps.db, advisorId);
}
