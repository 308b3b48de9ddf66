import type { InfiniteData } from '@tanstack/react-query';
import { get, isInDoubt, post } from '../../api/http.ts';
import { toast } from '../../shell/toasts.tsx';
import { count } from '../../words/people.ts';
import { client } from '../client.ts';
import type { Decision, QueuedReview, ReviewDetail } from './queries.ts';

type Pages = InfiniteData<{ data: QueuedReview[]; cursor: number | null }>;

/** The last decision, for Z. */
let last: { reviewIds: number[]; close(): void } | null = null;
type Waiting = { reviewId: number; decision: Decision; leftMs: number };
const settleMs = 2_500;
const checkedMax = 20;

/** The server decides when it can't be undone any more, whatever becomes of this page. True if it will. */
export async function decide(reviewId: number, decision: Decision, note: string, done: string): Promise<boolean> {
  try {
    const body = { decision, ...(note.trim() ? { note: note.trim() } : {}) };
    const { undoMs } = await post<{ undoMs: number }>(`/reviews/${reviewId}/decision`, { body });
    offerUndo([reviewId], `${done}.`, undoMs);
    return true;
  } catch (error) {
    const [taken] = await takenOf([reviewId], error);
    if (taken) offerUndo([reviewId], `${done}.`, taken.leftMs);
    else toast(notDecided(error));
    await refresh();
    return taken !== undefined;
  }
}

/** Which of them it will, as above. */
export async function decideAll(reviewIds: number[], decision: Decision, done: string): Promise<number[]> {
  try {
    const { data, undoMs } = await post<{ data: { reviewId: number; refused: string | null }[]; undoMs: number }>(
      '/reviews/decisions',
      { body: { reviewIds, decision } },
    );
    const [taken, refused] = [data.filter((each) => !each.refused), data.filter((each) => each.refused)];
    const ids = taken.map(({ reviewId }) => reviewId);
    if (refused.length > 0) toast(`${count(refused.length, 'review')} not decided. ${refused[0]?.refused}`);
    if (ids.length > 0) offerUndo(ids, `${done}: ${count(ids.length, 'review')}.`, undoMs);
    return ids;
  } catch (error) {
    const taken = await takenOf(reviewIds, error);
    const leftMs = Math.min(...taken.map((each) => each.leftMs));
    const ids = taken.map(({ reviewId }) => reviewId);
    if (ids.length < reviewIds.length) toast(notDecided(error));
    if (ids.length > 0) offerUndo(ids, `${done}: ${count(ids.length, 'review')}.`, leftMs);
    await refresh();
    return ids;
  }
}

/** Without an answer, or after half of several, the server may hold the decision all the same: then it can be undone like any other. */
async function takenOf(reviewIds: number[], error: unknown): Promise<Waiting[]> {
  return isInDoubt(error) ? (await listWaiting()).filter(({ reviewId }) => reviewIds.includes(reviewId)) : [];
}

function notDecided(error: unknown): string {
  return `${isInDoubt(error) ? 'It may not have been decided.' : 'Nothing was decided.'} ${(error as Error).message}`;
}

async function listWaiting(): Promise<Waiting[]> {
  return (await get<{ data: Waiting[] }>('/reviews/waiting').catch(() => ({ data: [] }))).data;
}

/** Z: the last decision, if it is still in time. */
export function undoLast(): void {
  if (last) {
    last.close();
    void undo(last.reviewIds);
  } else toast('There is nothing to undo.');
}

/** After the page was loaded again: what they had decided, and the server still holds. */
export async function offerWaiting(): Promise<void> {
  if (last) return;
  const data = await listWaiting();
  const [latest] = data;
  if (!latest || last) return;
  const said = latest.decision === 'approved' ? 'Approved.' : 'Rejected.';
  const words = data.length === 1 ? said : `${count(data.length, 'decision')} of yours take effect in a moment.`;
  offerUndo(
    data.map(({ reviewId }) => reviewId),
    words,
    latest.leftMs,
  );
}

export function refresh(): Promise<void> {
  return client.invalidateQueries({ queryKey: ['reviews'] });
}

function offerUndo(reviewIds: number[], text: string, undoMs: number): void {
  const mine = { reviewIds, close: () => {} };
  mine.close = toast(text, { label: 'Undo', run: () => void undo(reviewIds) }, undoMs);
  last = mine;
  hide(reviewIds);
  void client.invalidateQueries({ queryKey: ['reviews', 'counts'] });
  setTimeout(() => {
    if (last === mine) last = null;
    void check(reviewIds);
  }, undoMs + settleMs);
}

async function undo(reviewIds: number[]): Promise<void> {
  last = null;
  try {
    const { undone } = await post<{ undone: number }>('/reviews/undo', { body: { reviewIds } });
    toast(undoneWords(undone, reviewIds.length));
  } catch (error) {
    toast((error as Error).message);
  }
  await refresh();
}

function undoneWords(undone: number, of: number): string {
  if (undone === 0) return 'It was too late to undo this: it has been done.';
  if (undone < of)
    return `${undone} of ${count(of, 'review')} undone. For the others it was too late: they are decided.`;
  return of === 1 ? 'Undone: it is open again.' : 'Undone: they are open again.';
}

/** What couldn't be done after all: they have gone on to the next and would not see it. */
async function check(reviewIds: number[]): Promise<void> {
  for (const reviewId of reviewIds.slice(0, checkedMax)) {
    const review = await get<ReviewDetail>(`/reviews/${reviewId}`).catch(() => null);
    const event = review?.events.at(-1);
    if (review?.status === 'open' && event?.action === 'not_done')
      toast(`Your decision about ${review.name ?? review.phone} could not be carried out. ${event.note ?? ''}`);
  }
  await refresh();
}

/** Out of the lists at once. */
function hide(reviewIds: number[]): void {
  client.setQueriesData<Pages>({ queryKey: ['reviews', 'queue'] }, (found) =>
    found
      ? {
          ...found,
          pages: found.pages.map((page) => ({
            ...page,
            data: page.data.filter(({ reviewId }) => !reviewIds.includes(reviewId)),
          })),
        }
      : found,
  );
  for (const reviewId of reviewIds) void client.invalidateQueries({ queryKey: ['reviews', 'one', reviewId] });
}
