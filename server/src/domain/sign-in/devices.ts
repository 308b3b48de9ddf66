import type { Deps } from '../../deps.ts';
import * as store from '../../store/sign-in/devices.ts';
import { hashSecret, newToken } from '../shared/secrets.ts';
import { realTimeIn } from '../shared/time.ts';

/** As long as browsers keep a cookie, about; every sign-in begins it anew. */
export const deviceSeconds = 365 * 24 * 60 * 60;
const devicesMax = 50;

/**
 * Remembers that an advisor has signed in in this browser. The token for its cookie is new every time, so that a copy of
 * the previous one is worth nothing.
 */
export async function rememberDevice(deps: Deps, advisorId: number, previous: string | null): Promise<string> {
  const device = newToken();
  const [deviceHash, expires] = [hashSecret(device), realTimeIn(deps, deviceSeconds * 1000)];
  if (previous) await store.updateDeviceHash(deps.db, { from: hashSecret(previous), to: deviceHash });
  await store.insertDevice(deps.db, advisorId, deviceHash, expires);
  await store.deleteOldDevices(deps.db, advisorId, devicesMax);
  return device;
}

export async function isDeviceOf(deps: Deps, advisorId: number, device: string): Promise<boolean> {
  return store.isDeviceOf(deps.db, advisorId, hashSecret(device), deps.databaseClock.now());
}
