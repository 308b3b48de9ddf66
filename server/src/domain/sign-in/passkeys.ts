import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import type { PasskeyRow } from '../../store/sign-in/passkeys.ts';
import * as store from '../../store/sign-in/passkeys.ts';
import type { By } from '../archive/archive.ts';
import { authenticatorName } from './authenticators.ts';
import { challengeMs, rememberChallenge, takeChallenge } from './passkey-challenges.ts';
import type { Session } from './sessions.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { expectedResponse, hostOf, isPasskeyId, nullIfInvalid, userHandle, webauthn } from './webauthn.ts';

export type Passkey = Pick<PasskeyRow, 'passkeyId' | 'name' | 'dateTimeCreated' | 'dateTimeUsed'>;

export const passkeysMax = 20;
/** EdDSA, ES256 and RS256 by their COSE numbers. The library would add ML-DSA, which is still experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];
const transportForm = /^[a-z-]{1,20}$/;
const transportsMax = 10;

export async function listPasskeys(deps: Deps, advisorId: number): Promise<Passkey[]> {
  return store.listPasskeys(deps.db, advisorId);
}

export async function removePasskey(deps: Deps, advisorId: number, passkeyId: string, by: By): Promise<boolean> {
  if (!isPasskeyId(passkeyId)) return false;
  return inTransaction(deps, async (deps) => {
    const name = await store.deletePasskey(deps.db, advisorId, passkeyId);
    if (name === null) return false;
    await archiveSignIn(deps, by, advisorId, { action: 'passkey removed', of: {}, values: { name } });
    return true;
  });
}

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

export async function addPasskey(
  deps: Deps,
  advisorId: number,
  given: unknown,
  by: By,
): Promise<{ added: string } | { refused: 'not_verified' | 'too_many' }> {
  const response = given as RegistrationResponseJSON;
  const registered = await verifiedRegistration(deps, advisorId, response);
  if (!registered) return { refused: 'not_verified' };
  const { credential, aaguid } = registered;
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
  return inTransaction(deps, async (deps) => {
    await store.lockPasskeys(deps.db, advisorId);
    if ((await store.listPasskeys(deps.db, advisorId)).length >= passkeysMax) return { refused: 'too_many' };
    if (!(await store.insertPasskey(deps.db, passkey))) return { refused: 'not_verified' };
    const values = { name: passkey.name };
    await archiveSignIn(deps, by, advisorId, { action: 'passkey added', of: {}, values });
    return { added: passkey.name };
  });
}

async function verifiedRegistration(deps: Deps, advisorId: number, response: RegistrationResponseJSON) {
  const challenge = await takeChallenge(deps, advisorId, response);
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await webauthn();
  const expected = { supportedAlgorithmIDs, ...expectedResponse(deps, challenge) };
  const verified = await verifyRegistrationResponse({ response, ...expected }).catch(nullIfInvalid);
  return verified?.registrationInfo ?? null;
}

function knownTransports(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  return given.filter((each) => typeof each === 'string' && transportForm.test(each)).slice(0, transportsMax);
}
