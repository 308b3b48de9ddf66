import type { Deps } from '../../../deps.ts';
import { getAccount } from '../../../domain/accounts/advisors.ts';
import { findSignature } from '../../../domain/conversations/signatures.ts';
import { latestCursor } from '../../../domain/events/events.ts';
import type { Session } from '../../../domain/sign-in/sessions.ts';

/** What the app knows of who is signed in. */
export type AppSession = Awaited<ReturnType<typeof describeSession>> & { formToken: string };

export async function describeSession(deps: Deps, { advisorId, email }: Session) {
  const [account, signature, cursor] = await Promise.all([
    getAccount(deps, advisorId),
    findSignature(deps, advisorId),
    latestCursor(deps, advisorId),
  ]);
  const { environment } = deps.config;
  return { advisor: { ...account, email }, signature, environment, now: deps.clock.now().getTime(), cursor };
}
