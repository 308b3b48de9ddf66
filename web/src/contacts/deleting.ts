import { get, isInDoubt, post } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';

/** Those whose button this page has shown already. */
const offered = new Set<number>();

/** The server waits until it can't be undone any more, whatever becomes of this page. */
export async function deleteWithUndo(
  what: { contactIds: number[] } | { groupId: number },
  whom: string,
): Promise<void> {
  try {
    const { actionId, undoMs } = await post<{ actionId: number; undoMs: number }>('/deletes', { body: what });
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
  type Waiting = { actionId: number; contacts: number | null; leftMs: number };
  const { data } = await get<{ data: Waiting[] }>('/deletes').catch(() => ({ data: [] as Waiting[] }));
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
