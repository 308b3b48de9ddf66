import { isIP } from 'node:net';
import type { Deps } from '../../deps.ts';
import type { Owner } from '../../store/sign-in/owners.ts';

/** WebAuthn limits a credential id to 1,023 bytes. */
const passkeyIdForm = /^[\w-]{1,1364}$/;

/** Loaded when a passkey is first needed: it would add a sixth of a second to every start. */
export const webauthn = () => import('@simplewebauthn/server');

/** Whether this deployment can have passkeys: browsers bind them to a host name, never to an IP address. */
export function passkeysPossible({ config }: Deps): boolean {
  return isIP(hostOf(config.publicUrl).replace(/^\[|\]$/g, '')) === 0;
}

export function isPasskeyId(given: unknown): given is string {
  return typeof given === 'string' && passkeyIdForm.test(given);
}

/** What both kinds of responses must match. */
export function expectedResponse({ config }: Deps, challenge: string) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: config.publicUrl,
    expectedRPID: hostOf(config.publicUrl),
    requireUserVerification: true,
  };
}

/** The library throws for anything that doesn't fit, from a wrong origin to a missing field. */
export function nullIfInvalid(): null {
  return null;
}

/** A device keeps one passkey for each handle, so the two kinds of owners must never share one. */
export function userHandle({ advisorId, staffId }: Owner) {
  return new TextEncoder().encode(staffId === undefined ? String(advisorId) : `staff ${staffId}`);
}

export function hostOf(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}
