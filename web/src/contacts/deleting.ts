import type { remove, waitingDeletes } from '../../../server/src/http/advisor/api/contacts.ts';
import { get, isInDoubt, post } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import type { AnswerOf, BodyOf } from '../api/types.ts';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';

/** Those whose button this page has shown already. */
const offered = new Set<number>();

/** The server waits until it can't be undone any more, whatever becomes of this page. */
export async function deleteWithUndo(what: BodyOf<typeof remove>, whom: string): Promise<void> {
  try {
    const { actionId, undoMs } = await post<AnswerOf<typeof remove>>('/deletes', { body: what });
    offerUndo(actionId, whom, undoMs);
  } catch (error) {
    toast(`${isInDoubt(error) ? 'It may not have been deleted.' : 'Nothing was deleted.'} ${(error as Error).message}`);
    // If it was, it waits, and can be undone.
    await offerWaiting();
  }
  await refreshBook();
}

/** What the server still holds, after the page was loaded again or an answer was lost. */
export async function offerWaiting(): Promise<void> {
  const { data } = await get<AnswerOf<typeof waitingDeletes>>('/deletes').catch(() => ({ data: [] }));
  for (const { actionId, contacts, leftMs } of data) {
    const people =
      contacts === null ? 'A group is' : `${count(contacts, 'person', 'people')} ${contacts === 1 ? 'is' : 'are'}`;
    if (!offered.has(actionId)) offerUndo(actionId, people, leftMs);
  }
}

function offerUndo(actionId: number, whom: string, undoMs: number): void {
  const undo = async () => {
    await post(`/deletes/${actionId}/undo`).catch((error) => toast(error.message));
    await refreshBook();
  };
  offered.add(actionId);
  toast(`${whom} being deleted.`, { label: 'Undo', run: () => void undo() }, undoMs);
}
