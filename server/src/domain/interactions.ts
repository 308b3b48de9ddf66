import type { Deps } from '../deps.ts';
import * as store from '../store/interactions.ts';
import { hashSecret } from './secrets.ts';

/** An authorization request that waits for the advisor, known by a random id that only the browser's cookie has. */
export type Interaction = Record<string, unknown>;

export async function saveInteraction(deps: Deps, uid: string, payload: Interaction, expires: Date): Promise<void> {
  await store.upsertInteraction(deps.db, { hash: hashSecret(uid), payload, expires });
}

export async function findInteraction(deps: Deps, uid: string): Promise<Interaction | null> {
  return store.findInteraction(deps.db, hashSecret(uid));
}

/** False where it is gone already: of several at the same time one deletes it. */
export async function deleteInteraction(deps: Deps, uid: string): Promise<boolean> {
  return store.deleteInteraction(deps.db, hashSecret(uid));
}
