import { randomBytes } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import * as store from '../../store/sign-in/staff-credentials.ts';
import type { By } from '../archive/archive.ts';
import { hashSecret } from '../shared/secrets.ts';
import { archiveSignIn } from './sign-in-records.ts';

export const recoveryCodesMax = 10;
/** Crockford's: no letter in it looks like a digit or another letter. There are 32, so each byte makes one without preference. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** 80 bits: a fast hash is enough. */
const codeLength = 16;

/** Ten new codes, shown once, in place of those from before. */
export async function makeRecoveryCodes(deps: Deps, staffId: number, by: By): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodesMax }, makeCode);
  await store.replaceRecoveryCodes(deps.db, staffId, codes.map(hashOf));
  await archiveSignIn(
    deps,
    by,
    { staffId },
    { action: 'recovery codes made', of: { codes: codes.length }, values: {} },
  );
  return codes;
}

/** Spends the code; false if it isn't one of theirs, or was used. */
export async function takeRecoveryCode(deps: Deps, staffId: number, code: string, by: By): Promise<boolean> {
  if (!(await store.deleteRecoveryCode(deps.db, staffId, hashOf(code)))) return false;
  const left = await store.countRecoveryCodes(deps.db, staffId);
  await archiveSignIn(deps, by, { staffId }, { action: 'recovery code used', of: { left }, values: {} });
  return true;
}

function makeCode(): string {
  const letters = [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]);
  return letters.join('').replace(/.{4}(?!$)/g, '$&-');
}

/** However they typed it. */
function hashOf(code: string): Buffer {
  const typed = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return hashSecret(`recovery code ${typed.replaceAll('o', '0').replaceAll(/[il]/g, '1')}`);
}
