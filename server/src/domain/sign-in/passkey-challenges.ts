import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Deps } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import * as store from '../../store/sign-in/passkey-challenges.ts';
import { hashSecret } from '../shared/secrets.ts';
import { realTimeIn } from '../shared/time.ts';

export const challengeMs = 5 * 60 * 1000;

/** Without an owner, the challenge is for signing in. */
export async function rememberChallenge(deps: Deps, owner: Owner | null, challenge: string): Promise<void> {
  const expires = realTimeIn(deps, challengeMs);
  await store.insertChallenge(deps.db, owner, { challengeHash: hashSecret(challenge), expires });
}

/** The challenge that the response answers, which this uses up; null if it isn't one of ours. */
export async function takeChallenge(
  deps: Deps,
  owner: Owner | null,
  given: RegistrationResponseJSON | AuthenticationResponseJSON,
): Promise<string | null> {
  const challenge = challengeIn(given);
  if (challenge === null) return null;
  const answered = { challengeHash: hashSecret(challenge), now: deps.databaseClock.now() };
  return (await store.deleteChallenge(deps.db, owner, answered)) ? challenge : null;
}

/** The response came over the wire, so its declared type can't be trusted yet. */
function challengeIn(given: RegistrationResponseJSON | AuthenticationResponseJSON): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(given.response.clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}
