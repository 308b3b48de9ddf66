import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Deps } from '../../deps.ts';
import type { PasskeyRow } from '../../store/sign-in/passkeys.ts';
import * as store from '../../store/sign-in/passkeys.ts';
import type { By } from '../archive/archive.ts';
import { inBatches } from '../shared/batches.ts';
import { hashSecret } from '../shared/secrets.ts';
import { authenticatorName } from './authenticators.ts';
import { beginSession, type NewSession, type Session } from './sessions.ts';
import { type Attempt, archiveSignIn, noteFailure } from './sign-in-records.ts';
import { challengeThrottles, giveBackAttempt, passkeyThrottles, takeAttempt } from './throttles.ts';

export type Passkey = Pick<PasskeyRow, 'passkeyId' | 'name' | 'dateTimeCreated' | 'dateTimeUsed'>;
type Throttled = { refused: 'throttled'; retryAfterSeconds: number };

export const passkeysMax = 20;
const challengeMs = 5 * 60 * 1000;
/** EdDSA, ES256 and RS256 by their COSE numbers. The library would add ML-DSA, which Node still calls an experiment. */
const supportedAlgorithmIDs = [-8, -7, -257];
/** WebAuthn ends a credential's id at 1023 bytes. */
const idForm = /^[\w-]{1,1364}$/;
const transportForm = /^[a-z-]{1,20}$/;
const transportsMax = 10;

/** Loaded when a passkey is first wanted: it would make every start a sixth of a second longer. */
const webauthn = () => import('@simplewebauthn/server');

/** Whether a passkey can belong to this deployment: to a host name, as browsers have it, never to an IP address. */
export function passkeysPossible({ config }: Deps): boolean {
  return isIP(hostOf(config.publicUrl).replace(/^\[|\]$/g, '')) === 0;
}

export async function listPasskeys(deps: Deps, advisorId: number): Promise<Passkey[]> {
  return store.listPasskeys(deps.db, advisorId);
}

export async function removePasskey(deps: Deps, advisorId: number, passkeyId: string, by: By): Promise<boolean> {
  if (!idForm.test(passkeyId)) return false;
  return deps.db.transaction(async (db) => {
    const name = await store.deletePasskey(db, advisorId, passkeyId);
    if (name === null) return false;
    await archiveSignIn({ ...deps, db }, by, advisorId, { action: 'passkey removed', of: {}, values: { name } });
    return true;
  });
}

/** What the browser is asked for when the advisor adds a passkey. */
export async function registrationOptions(
  deps: Deps,
  { advisorId, name, email }: Pick<Session, 'advisorId' | 'name' | 'email'>,
): Promise<PublicKeyCredentialCreationOptionsJSON | { refused: 'too_many' }> {
  const known = await store.listPasskeys(deps.db, advisorId);
  if (known.length >= passkeysMax) return { refused: 'too_many' };
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Assent',
    rpID: hostOf(deps.config.publicUrl),
    userName: email,
    userDisplayName: name,
    userID: userHandle(advisorId),
    timeout: challengeMs,
    attestationType: 'none',
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ passkeyId, transports }) => ({ id: passkeyId, transports })),
  });
  await rememberChallenge(deps, advisorId, options.challenge);
  return options;
}

/** Adds the passkey that the browser made. */
export async function addPasskey(
  deps: Deps,
  advisorId: number,
  given: unknown,
  by: By,
): Promise<{ added: string } | { refused: 'not_verified' | 'too_many' }> {
  const response = given as RegistrationResponseJSON;
  const challenge = await takeChallenge(deps, advisorId, response);
  if (challenge === null) return { refused: 'not_verified' };
  const { verifyRegistrationResponse } = await webauthn();
  const verified = await verifyRegistrationResponse({
    response,
    supportedAlgorithmIDs,
    ...expected(deps, challenge),
  }).catch(no);
  if (!verified?.registrationInfo) return { refused: 'not_verified' };

  const { credential, aaguid } = verified.registrationInfo;
  const transports = knownTransports(response.response.transports);
  const passkey = {
    advisorId,
    passkeyId: credential.id,
    name: authenticatorName(aaguid, transports),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
    dateTimeCreated: new Date(),
  };
  return deps.db.transaction(async (db) => {
    await store.lockPasskeys(db, advisorId);
    if ((await store.listPasskeys(db, advisorId)).length >= passkeysMax) return { refused: 'too_many' };
    if (!(await store.insertPasskey(db, passkey))) return { refused: 'not_verified' };
    const values = { name: passkey.name };
    await archiveSignIn({ ...deps, db }, by, advisorId, { action: 'passkey added', of: {}, values });
    return { added: passkey.name };
  });
}

/** What the browser is asked for at sign-in: any passkey of ours, so that nobody has to say who they are first. */
export async function signInOptions(
  deps: Deps,
  address: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | Throttled> {
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

/** Signs in whom the passkey belongs to. One that is not known, or whose advisor is disabled, is refused alike. */
export async function signInByPasskey(
  deps: Deps,
  given: unknown,
  { address, traceId }: Attempt,
): Promise<{ session: NewSession; refused?: undefined } | { refused: 'not_verified' } | Throttled> {
  const throttles = passkeyThrottles(address);
  const retryAfterSeconds = await takeAttempt(deps, throttles);
  if (retryAfterSeconds !== null) return { refused: 'throttled', retryAfterSeconds };

  const response = given as AuthenticationResponseJSON;
  const challenge = await takeChallenge(deps, null, response);
  const passkey = challenge === null ? null : await findPasskey(deps, response.id);
  if (challenge === null || !passkey) return { refused: 'not_verified' };
  const { advisorId, passkeyId } = passkey;
  const attempt = { method: 'passkey', address, traceId } as const;
  const counter = await verifiedCounter(deps, { challenge, passkey, response });
  if (counter === null) {
    await noteFailure(deps, passkeyId, { ...attempt, advisorId });
    return { refused: 'not_verified' };
  }
  const session = await deps.db.transaction(async (db) => {
    const use = { passkeyId, from: passkey.counter, to: counter, now: new Date() };
    if (!(await store.updatePasskeyUse(db, advisorId, use))) return null;
    return beginSession({ ...deps, db }, advisorId, attempt);
  });
  if (!session) return { refused: 'not_verified' };
  await giveBackAttempt(deps, throttles);
  return { session };
}

export async function forgetExpiredChallenges(deps: Deps): Promise<void> {
  await inBatches((limit) => store.deleteExpiredChallenges(deps.db, new Date(), limit));
}

async function findPasskey(deps: Deps, passkeyId: unknown): Promise<PasskeyRow | null> {
  if (typeof passkeyId !== 'string' || !idForm.test(passkeyId)) return null;
  return store.findPasskey(deps.db, passkeyId);
}

/** The passkey's counter after this use, or null where the signature isn't its own or the handle another advisor's. */
async function verifiedCounter(
  deps: Deps,
  { challenge, passkey, response }: { challenge: string; passkey: PasskeyRow; response: AuthenticationResponseJSON },
): Promise<number | null> {
  const { passkeyId: id, counter } = passkey;
  const credential = { id, publicKey: new Uint8Array(passkey.publicKey), counter };
  const { verifyAuthenticationResponse } = await webauthn();
  const verified = await verifyAuthenticationResponse({ response, credential, ...expected(deps, challenge) }).catch(no);
  const handle = Buffer.from(userHandle(passkey.advisorId)).toString('base64url');
  if (!verified?.verified || response.response.userHandle !== handle) return null;
  return verified.authenticationInfo.newCounter;
}

async function rememberChallenge(deps: Deps, advisorId: number | null, challenge: string): Promise<void> {
  const expires = new Date(Date.now() + challengeMs);
  await store.insertChallenge(deps.db, advisorId, { challengeHash: hashSecret(challenge), expires });
}

/** The challenge that the response answers, used up with this; null where it is none of ours. */
async function takeChallenge(
  deps: Deps,
  advisorId: number | null,
  given: RegistrationResponseJSON | AuthenticationResponseJSON,
): Promise<string | null> {
  const challenge = challengeIn(given);
  if (challenge === null) return null;
  const challengeHash = hashSecret(challenge);
  return (await store.deleteChallenge(deps.db, advisorId, { challengeHash, now: new Date() })) ? challenge : null;
}

/** The response came over the wire, and nothing of its type is known yet. */
function challengeIn(given: RegistrationResponseJSON | AuthenticationResponseJSON): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(given.response.clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

function expected({ config }: Deps, challenge: string) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: config.publicUrl,
    expectedRPID: hostOf(config.publicUrl),
    requireUserVerification: true,
  };
}

/** The library throws for whatever doesn't fit, from a wrong origin to a field that isn't there. */
function no(): null {
  return null;
}

function userHandle(advisorId: number) {
  return new TextEncoder().encode(String(advisorId));
}

function knownTransports(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  return given.filter((each) => typeof each === 'string' && transportForm.test(each)).slice(0, transportsMax);
}

function hostOf(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}
