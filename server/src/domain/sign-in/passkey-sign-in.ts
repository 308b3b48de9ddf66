import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import { type Owner, type OwnerKind, ownerWith } from '../../store/sign-in/owners.ts';
import type { PasskeyRow } from '../../store/sign-in/passkeys.ts';
import * as store from '../../store/sign-in/passkeys.ts';
import { challengeMs, rememberChallenge, takeChallenge } from './passkey-challenges.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { type Attempt, countFailure } from './sign-in-failures.ts';
import { challengeThrottles, passkeyThrottles, returnAttempt, takeAttempt } from './throttles.ts';
import { expectedResponse, hostOf, isPasskeyId, nullIfInvalid, userHandle, webauthn } from './webauthn.ts';

type ThrottledSignIn = { refused: 'throttled'; retryAfterSeconds: number };

/** The options for the browser at sign-in. Any passkey of ours will do, so nobody has to say who they are first. */
export async function signInOptions(
  deps: Deps,
  address: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | ThrottledSignIn> {
  const retryAfterSeconds = await takeAttempt(deps, challengeThrottles(address));
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: hostOf(deps.config.publicUrl),
    timeout: challengeMs,
    userVerification: 'required',
  });
  await rememberChallenge(deps, null, options.challenge);
  return options;
}

/**
 * Signs in the passkey's owner, of one kind. It is enough alone, also for staff: it is something that they have, and it checks who
 * they are. An unknown passkey and a disabled owner get the same refusal.
 */
export async function signInByPasskey(
  deps: Deps,
  kind: OwnerKind,
  given: unknown,
  attempt: Attempt,
): Promise<{ session: NewSession; refused?: undefined } | { refused: 'not_verified' } | ThrottledSignIn> {
  const throttles = passkeyThrottles(attempt.address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const response = given as AuthenticationResponseJSON;
  const challenge = await takeChallenge(deps, null, response);
  const passkey = challenge === null ? null : await findPasskey(deps, kind, response.id);
  if (challenge === null || !passkey) return { refused: 'not_verified' };
  const { ownerId, passkeyId } = passkey;
  const owner = ownerWith(kind, ownerId);
  const counter = await verifiedCounter(deps, { challenge, passkey, owner, response });
  if (counter === null) {
    await countFailure(deps, passkeyId, owner, { ...attempt, method: 'passkey' });
    return { refused: 'not_verified' };
  }
  const session = await inTransaction(deps, async (deps) => {
    // The account's row before its passkeys, as whoever resets the account does: the other way round the two would deadlock.
    await store.lockPasskeys(deps.db, owner);
    const use = { passkeyId, from: passkey.counter, to: counter, now: deps.databaseClock.now() };
    if (!(await store.updatePasskeyUse(deps.db, owner, use))) return null;
    return beginSession(deps, owner, { ...attempt, method: 'passkey' });
  });
  if (!session) return { refused: 'not_verified' };
  await returnAttempt(deps, throttles);
  return { session };
}

async function findPasskey(deps: Deps, kind: OwnerKind, passkeyId: unknown) {
  return isPasskeyId(passkeyId) ? store.findPasskey(deps.db, kind, passkeyId) : null;
}

/** The passkey's counter after this use; null if the signature isn't its own or the handle is somebody else's. */
async function verifiedCounter(
  deps: Deps,
  { challenge, passkey, owner, response }: ChallengeResponse,
): Promise<number | null> {
  const { passkeyId: id, counter } = passkey;
  const credential = { id, publicKey: new Uint8Array(passkey.publicKey), counter };
  const { verifyAuthenticationResponse } = await webauthn();
  const expected = expectedResponse(deps, challenge);
  const verified = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(nullIfInvalid);
  const handle = Buffer.from(userHandle(owner)).toString('base64url');
  if (!verified?.verified || response.response.userHandle !== handle) return null;
  return verified.authenticationInfo.newCounter;
}

type ChallengeResponse = { challenge: string; passkey: PasskeyRow; owner: Owner; response: AuthenticationResponseJSON };
