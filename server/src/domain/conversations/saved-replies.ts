import { type Deps, inTransaction } from '../../deps.ts';
import type { SavedReplyInput, SavedReplyRow } from '../../store/conversations/saved-replies.ts';
import * as store from '../../store/conversations/saved-replies.ts';
import { insertEvents } from '../../store/events/new-events.ts';
import { problem } from '../problems.ts';

export const savedReplyTitleLengthMax = 80;
const savedRepliesMax = 200;

/** All of them, by title: nothing is archived before it is sent. Fields are filled in when one is chosen, by texting/fields.ts. */
export async function listSavedReplies({ db }: Deps, advisorId: number): Promise<SavedReplyRow[]> {
  return store.listSavedReplies(db, advisorId, savedRepliesMax);
}

export async function createSavedReply(deps: Deps, advisorId: number, input: SavedReplyInput): Promise<number> {
  return change(deps, advisorId, async ({ db }) => {
    const had = await store.listSavedReplies(db, advisorId, savedRepliesMax);
    if (had.length === savedRepliesMax)
      throw problem('conflict', `You have ${savedRepliesMax} saved replies already. Delete one first.`);
    return store.insertSavedReply(db, advisorId, input);
  });
}

export async function updateSavedReply(
  deps: Deps,
  advisorId: number,
  savedReplyId: number,
  input: SavedReplyInput,
): Promise<void> {
  await change(deps, advisorId, async ({ db }) => {
    if (!(await store.updateSavedReply(db, advisorId, savedReplyId, input))) throw unknown();
  });
}

export async function deleteSavedReply(deps: Deps, advisorId: number, savedReplyId: number): Promise<void> {
  await change(deps, advisorId, async ({ db }) => {
    if (!(await store.deleteSavedReply(db, advisorId, savedReplyId))) throw unknown();
  });
}

/** The event comes first: it locks the advisor's head row, so that two at a time can't pass the limit together. */
async function change<Result>(deps: Deps, advisorId: number, act: (deps: Deps) => Promise<Result>): Promise<Result> {
  return inTransaction(deps, async (deps) => {
    await insertEvents(deps.db, [{ advisorId, type: 'saved_replies.changed' }], deps.clock.now());
    return act(deps);
  });
}

function unknown() {
  return problem('not_found', 'This saved reply was deleted.');
}
