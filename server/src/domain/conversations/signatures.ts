import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/conversations/signatures.ts';
import { insertEvents } from '../../store/events/new-events.ts';

export const signatureLengthMax = 160;

/** What the advisor signs texts with. Only the app's composer knows of it: what a partner sends is sent as it is. */
export async function findSignature({ db }: Deps, advisorId: number): Promise<string | null> {
  return store.findSignature(db, advisorId);
}

export async function setSignature(deps: Deps, advisorId: number, text: string): Promise<void> {
  await inTransaction(deps, async ({ db, clock }) => {
    await store.updateSignature(db, advisorId, text);
    await insertEvents(db, [{ advisorId, type: 'signature.changed' }], clock.now());
  });
}
