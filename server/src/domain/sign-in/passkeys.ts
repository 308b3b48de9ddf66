import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Deps, inTransaction } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import type { NewPasskey, PasskeyRow } from '../../store/sign-in/passkeys.ts';
import * as store from '../../store/sign-in/passkeys.ts';
import type { By } from '../archive/archive.ts';
import { authenticatorName } from './authenticators.ts';
import { challengeMs, rememberChallenge, takeChallenge } from './passkey-challenges.ts';
import { archiveSignIn } from './sign-in-records.ts';
import { expectedResponse, hostOf, nullIfInvalid, userHandle, webauthn } from './webauthn.ts';

export type Passkey = Pick<PasskeyRow, 'passkeyId' | 'name' | 'dateTimeCreated' | 'dateTimeUsed'>;

export const passkeysMax = 20;
/** EdDSA, ES256 and RS256 by their COSE numbers. The library would add ML-DSA, which is still experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];
const transportForm = /^[a-z-]{1,20}$/;
const transportsMax = 10;

export async function listPasskeys(deps: Deps, owner: Owner): Promise<Passkey[]> {
  return store.listPasskeys(deps.db, owner);
}

/** Advisors have a password too; for staff, the last passkey stays. */
export async function removePasskey(
  deps: Deps,
  owner: Owner,
  passkeyId: string,
  by: By,
): Promise<'removed' | 'unknown' | 'last'> {
  return inTransaction(deps, async (deps) => {
    await store.lockPasskeys(deps.db, owner);
    const passkeys = await store.listPasskeys(deps.db, owner);
    const passkey = passkeys.find((each) => each.passkeyId === passkeyId);
    if (!passkey) return 'unknown';
    if (owner.staffId !== undefined && passkeys.length === 1) return 'last';
    await store.deletePasskey(deps.db, passkeyId);
    const removed = { action: 'passkey removed', of: {}, values: { name: passkey.name } } as const;
    await archiveSignIn(deps, by, owner, removed);
    return 'removed';
  });
}

export async function registrationOptions(
  deps: Deps,
  owner: Owner,
  { name, email, firmName = null }: { name: string; email: string; firmName?: string | null },
  /** If those they have will be removed, the same device may make another. */
  beside: 'others' | 'none' = 'others',
): Promise<PublicKeyCredentialCreationOptionsJSON | { refused: 'too_many' }> {
  const known = beside === 'none' ? [] : await store.listPasskeys(deps.db, owner);
  if (known.length >= passkeysMax) return { refused: 'too_many' };
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Assent',
    rpID: hostOf(deps.config.publicUrl),
    // Beside each other in a browser's list, an advisor's and those for the console of each firm can be told apart.
    userName: owner.staffId === undefined ? email : `${email} (console${firmName === null ? '' : ` of ${firmName}`})`,
    userDisplayName: name,
    userID: userHandle(owner),
    timeout: challengeMs,
    attestationType: 'none',
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ passkeyId, transports }) => ({ id: passkeyId, transports })),
  });
  await rememberChallenge(deps, owner, options.challenge);
  return options;
}

export async function addPasskey(
  deps: Deps,
  owner: Owner,
  given: unknown,
  by: By,
): Promise<{ added: string } | { refused: 'not_verified' | 'too_many' }> {
  return inTransaction(deps, async (deps) => {
    // Before the challenge is taken: a reset, which locks the owner too, has removed it or removes the passkey.
    await store.lockPasskeys(deps.db, owner);
    const passkey = await verifiedPasskey(deps, owner, given);
    return passkey ? savePasskey(deps, owner, passkey, by) : { refused: 'not_verified' };
  });
}

/** The passkey that this response registers; null if it isn't for our challenge, or not signed as it must be. */
export async function verifiedPasskey(deps: Deps, owner: Owner, given: unknown): Promise<NewPasskey | null> {
  const response = given as RegistrationResponseJSON;
  const registered = await verifiedRegistration(deps, owner, response);
  if (!registered) return null;
  const { credential, aaguid } = registered;
  const transports = knownTransports(response.response.transports);
  return {
    passkeyId: credential.id,
    name: authenticatorName(aaguid, transports),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
    dateTimeCreated: deps.databaseClock.now(),
  };
}

export async function savePasskey(
  deps: Deps,
  owner: Owner,
  passkey: NewPasskey,
  by: By,
): Promise<{ added: string } | { refused: 'not_verified' | 'too_many' }> {
  return inTransaction(deps, async (deps) => {
    await store.lockPasskeys(deps.db, owner);
    if ((await store.listPasskeys(deps.db, owner)).length >= passkeysMax) return { refused: 'too_many' };
    if (!(await store.insertPasskey(deps.db, owner, passkey))) return { refused: 'not_verified' };
    const values = { name: passkey.name };
    await archiveSignIn(deps, by, owner, { action: 'passkey added', of: {}, values });
    return { added: passkey.name };
  });
}

async function verifiedRegistration(deps: Deps, owner: Owner, response: RegistrationResponseJSON) {
  const challenge = await takeChallenge(deps, owner, response);
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await webauthn();
  const expected = { supportedAlgorithmIDs, ...expectedResponse(deps, challenge) };
  const verified = await withoutAttestation(response)
    .then((response) => verifyRegistrationResponse({ response, ...expected }))
    .catch(nullIfInvalid);
  return verified?.registrationInfo ?? null;
}

/**
 * We ask for no attestation, so what a client sends all the same is left out. For some formats the library would fetch
 * whatever address is in a certificate, before it knows whose certificate that is.
 */
async function withoutAttestation(given: RegistrationResponseJSON): Promise<RegistrationResponseJSON> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(given.response.attestationObject)).get('authData');
  const none = new Map<string, string | Uint8Array | Map<string, never>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, never>()],
    ['authData', authData],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(none));
  return { ...given, response: { ...given.response, attestationObject } };
}

function knownTransports(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  return given.filter((each) => typeof each === 'string' && transportForm.test(each)).slice(0, transportsMax);
}
