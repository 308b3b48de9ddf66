import { type Deps, inTransaction } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import type { SessionRow, SignInMethod, StaffSessionRow } from '../../store/sign-in/sessions.ts';
import * as store from '../../store/sign-in/sessions.ts';
import type { By } from '../archive/archive.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { realTimeIn } from '../shared/time.ts';
import { rememberDevice } from './devices.ts';
import type { Attempt } from './sign-in-failures.ts';
import { archiveSignIn, byOwner } from './sign-in-records.ts';

export type Session = SessionRow;
export type StaffSession = StaffSessionRow;
/** Their browser keeps both tokens; we store only their SHA-256. Staff have no password to guess, so no device. */
export type NewSession = { token: string; device: string | null };

const sessionMs = 12 * 60 * 60 * 1000;
/** A console that nobody uses for an hour signs itself out: it shows what a firm's clients wrote, in an office. */
const idleMs = 60 * 60 * 1000;
const freshMs = 5 * 60 * 1000;
/** Written at most this often: a request must not wait for it. */
const seenMs = 5 * 60 * 1000;
const listedMax = 100;

type Beginning = Attempt & { method: SignInMethod; checkedPasswordHash?: string | null };

/** The new session, or null if they may no longer sign in, or not with the password that was checked. */
export async function beginSession(
  deps: Deps,
  owner: Owner,
  { method, checkedPasswordHash = null, address, device, browser, traceId }: Beginning,
): Promise<NewSession | null> {
  const token = newToken();
  const created = deps.databaseClock.now();
  const expires = new Date(created.getTime() + sessionMs);
  const session = { sessionHash: hashSecret(token), method, browser, created, expires };
  return inTransaction(deps, async (deps) => {
    if (!(await store.insertSession(deps.db, owner, session, checkedPasswordHash))) return null;
    const signedIn = { action: 'signed in', of: { method }, values: { address } } as const;
    await archiveSignIn(deps, byOwner(owner, traceId), owner, signedIn);
    const { advisorId } = owner;
    return { token, device: advisorId === undefined ? null : await rememberDevice(deps, advisorId, device) };
  });
}

export async function findSession(deps: Deps, token: string): Promise<Session | null> {
  return store.findSession(deps.db, hashSecret(token), deps.databaseClock.now());
}

/** What a page that was left open asks by itself is no use of the session. */
export async function findStaffSession(
  deps: Deps,
  token: string,
  { isUsed }: { isUsed: boolean },
): Promise<StaffSession | null> {
  const now = deps.databaseClock.now();
  const seenSince = new Date(now.getTime() - idleMs);
  const session = await store.findStaffSession(deps.db, hashSecret(token), { now, seenSince });
  if (session && isUsed) await noteSeen(deps, token, session);
  return session;
}

/** Those of the advisors' tokens whose session goes on: one query, however many they are. */
export async function listOpenSessions(
  deps: Pick<Deps, 'db' | 'databaseClock'>,
  tokens: string[],
): Promise<Set<string>> {
  const hashes = tokens.map((token) => hashSecret(token));
  const open = await store.listOpenSessions(deps.db, hashes, deps.databaseClock.now());
  return new Set(tokens.filter((_, index) => open.some((hash) => hashes[index]?.equals(hash))));
}

/**
 * Whether they signed in just now. A session that somebody stole is usually older, and can't be made fresh; nor is one fresh that began
 * before the database's clock was set back.
 */
export function isFresh(deps: Pick<Deps, 'databaseClock'>, { signedInAt }: Pick<Session, 'signedInAt'>): boolean {
  return Math.abs(deps.databaseClock.now().getTime() - signedInAt.getTime()) < freshMs;
}

/** Notes that the session is in use. What can't be written is left out: whoever is signed in can still read. */
export async function noteSeen(deps: Deps, token: string, { seenAt }: Pick<Session, 'seenAt'>): Promise<void> {
  if (seenAt > realTimeIn(deps, -seenMs)) return;
  await store.updateSeen(deps.db, hashSecret(token), deps.databaseClock.now()).catch(() => {});
}

/** Where somebody is signed in. The id is no secret: the token can't be found from it. */
export type OwnSession = Omit<store.ListedSession, 'sessionHash'> & { sessionId: string; isThis: boolean };

export async function listSessions(deps: Deps, owner: Owner, token: string): Promise<OwnSession[]> {
  const now = deps.databaseClock.now();
  const seenSince = new Date(owner.staffId === undefined ? 0 : now.getTime() - idleMs);
  const sessions = await store.listSessions(deps.db, owner, { now, seenSince, limit: listedMax });
  return sessions.map(({ sessionHash, ...rest }) => ({
    ...rest,
    sessionId: sessionHash.toString('hex'),
    isThis: hashSecret(token).equals(sessionHash),
  }));
}

/** Signs an advisor or staff member out in one other browser, or in all others. */
export async function signOutElsewhere(
  deps: Deps,
  owner: Owner,
  which: { sessionId: string } | { except: string },
  by: By,
): Promise<void> {
  const sessions =
    'sessionId' in which ? { only: Buffer.from(which.sessionId, 'hex') } : { except: hashSecret(which.except) };
  await inTransaction(deps, async (deps) => {
    const ended = await store.deleteSessionsOf(deps.db, owner, sessions);
    const signedOut = { action: 'signed out elsewhere', of: { sessions: ended }, values: {} } as const;
    if (ended > 0) await archiveSignIn(deps, by, owner, signedOut);
  });
}

export async function signOut(deps: Deps, token: string): Promise<void> {
  await store.deleteSession(deps.db, hashSecret(token));
}

export async function endSessions(deps: Pick<Deps, 'db'>, owner: Owner): Promise<void> {
  await store.deleteSessionsOf(deps.db, owner, { except: Buffer.alloc(0) });
}
