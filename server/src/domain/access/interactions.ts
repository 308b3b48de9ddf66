import type { Deps } from '../../deps.ts';
import * as store from '../../store/access/interactions.ts';
import { hashSecret } from '../shared/secrets.ts';

/**
 * An authorization request that waits for the advisor. Its random id appears in URLs, and so in histories and logs;
 * therefore it is bound to the browser that made it, which keeps a secret of its own.
 */
export type Interaction = Record<string, unknown>;
type InteractionKey = { uid: string; browser: string };

export async function saveInteraction(
  deps: Deps,
  key: InteractionKey,
  { payload, expires }: { payload: Interaction; expires: Date },
): Promise<void> {
  await store.upsertInteraction(deps.db, { ...hashesOf(key), payload, expires });
}

export async function findInteraction(deps: Deps, key: InteractionKey): Promise<Interaction | null> {
  return store.findInteraction(deps.db, hashesOf(key));
}

/** False if it is already gone: of several concurrent calls, one deletes it. */
export async function deleteInteraction(deps: Deps, uid: string): Promise<boolean> {
  return store.deleteInteraction(deps.db, hashSecret(uid));
}

function hashesOf({ uid, browser }: InteractionKey): { hash: Buffer; browserHash: Buffer } {
  return { hash: hashSecret(uid), browserHash: hashSecret(browser) };
}
