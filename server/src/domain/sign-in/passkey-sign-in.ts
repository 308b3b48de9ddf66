import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
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

/** Signs in the passkey's owner. An unknown passkey and a disabled advisor get the same refusal. */
export async function signInByPasskey(
  deps: Deps,
  given: unknown,
  { address, device, browser, traceId }: Attempt,
): Promise<{ session: NewSession; refused?: undefined } | { refused: 'not_verified' } | ThrottledSignIn> {
  const throttles = passkeyThrottles(address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const response = given as AuthenticationResponseJSON;
  const challenge = await takeChallenge(deps, null, response);
  const passkey = challenge === null ? null : await findPasskey(deps, response.id);
  if (challenge === null || !passkey) return { refused: 'not_verified' };
  const { advisorId, passkeyId } = passkey;
  const attempt = { method: 'passkey', address, device, traceId } as const;
  const counter = await verifiedCounter(deps, { challenge, passkey, response });
  if (counter === null) {
    await countFailure(deps, passkeyId, { ...attempt, advisorId });
    return { refused: 'not_verified' };
  }
  const session = await inTransaction(deps, async (deps) => {
    const use = { passkeyId, from: passkey.counter, to: counter, now: new Date() };
    if (!(await store.updatePasskeyUse(deps.db, advisorId, use))) return null;
    return beginSession(deps, advisorId, { ...attempt, ...(browser === undefined ? {} : { browser }) });
  });
  if (!session) return { refused: 'not_verified' };
  await returnAttempt(deps, throttles);
  return { session };
}

async function findPasskey(deps: Deps, passkeyId: unknown): Promise<PasskeyRow | null> {
  return isPasskeyId(passkeyId) ? store.findPasskey(deps.db, passkeyId) : null;
}

/** The passkey's counter after this use; null if the signature isn't its own or the handle is another advisor's. */
async function verifiedCounter(
  deps: Deps,
  { challenge, passkey, response }: { challenge: string; passkey: PasskeyRow; response: AuthenticationResponseJSON },
): Promise<number | null> {
  const { passkeyId: id, counter } = passkey;
  const credential = { id, publicKey: new Uint8Array(passkey.publicKey), counter };
  const { verifyAuthenticationResponse } = await webauthn();
  const expected = expectedResponse(deps, challenge);
  const verified = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(nullIfInvalid);
  const handle = Buffer.from(userHandle(passkey.advisorId)).toString('base64url');
  if (!verified?.verified || response.response.userHandle !== handle) return null;
  return verified.authenticationInfo.newCounter;
}
