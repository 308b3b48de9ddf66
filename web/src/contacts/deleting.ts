import { post } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import { toast } from '../shell/toasts.tsx';

/** The server waits until it can't be undone any more, whatever becomes of this page. */
export async function deleteWithUndo(
  what: { contactIds: number[] } | { groupId: number },
  whom: string,
): Promise<void> {
  try {
    const { actionId, undoMs } = await post<{ actionId: number; undoMs: number }>('/deletes', { body: what });
    const undo = async () => {
      await post(`/deletes/${actionId}/undo`).catch((error) => toast(error.message));
      await refreshBook();
    };
    toast(`${whom} being deleted.`, { label: 'Undo', run: () => void undo() }, undoMs);
  } catch (error) {
    toast(`Nothing was deleted. ${(error as Error).message}`);
  }
  await refreshBook();
}
