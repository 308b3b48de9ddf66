import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get } from '../../api/http.ts';
import type { ConsentEvidence, FailureReason, TextItem, TextKind, TextStatus } from '../../api/types.ts';
import type { Overview } from '../overview/words.ts';
import type { Role } from '../session.ts';

export type Kind =
  | 'possible_opt_out'
  | 'opt_out_wording'
  | 'out_of_order'
  | 'misdirected'
  | 'held'
  | 'flagged'
  | 'blocked'
  | 'sample';
export type View = 'all' | 'mine' | 'escalated' | Kind;
export type Order = 'oldest' | 'newest';
export type Decision = 'approved' | 'rejected';

export type Review = {
  reviewId: number;
  advisorName: string;
  kind: Kind;
  memberId: number | null;
  phone: string;
  name: string | null;
  archiveNumber: number;
  rules: string[];
  lexiconVersion: number | null;
  status: 'open' | Decision;
  decidedBy: string | null;
  decidedAt: string | null;
  assignedTo: number | null;
  assignedName: string | null;
  escalatedAt: string | null;
  dateTimeCreated: string;
};
export type QueuedReview = Review & { excerpt: string | null };
export type Mark = { start: number; end: number; rule: string | null };
export type Item = { id: string; dateTime: string; archiveNumber: number } & (
  | {
      type: 'text';
      kind: TextKind;
      text: string | null;
      status: TextStatus;
      failureCode: FailureReason | null;
      heldReason: TextItem['heldReason'];
      deliverAfter: string | null;
    }
  | { type: 'reply'; text: string | null; isPossibleOptOut: boolean; media: Kept[] }
  | { type: 'consent'; state: ConsentEvidence['state']; previousState: ConsentEvidence['state']; reason: string }
);
/** Without a size, it isn't kept. */
export type Kept = { replyNumber: number; place: number; contentType: string; size: number; isPending: boolean };
export type Evidence = Omit<ConsentEvidence, 'dateTime'> & { dateTime: string };
export type ReviewEvent = {
  number: number;
  dateTime: string;
  actorName: string | null;
  action: 'assigned' | 'unassigned' | 'escalated' | 'returned' | 'not_done' | 'shown' | null;
  decision: Decision | null;
  note: string | null;
};
export type ReviewDetail = Review & {
  text: string | null;
  dateTime: string;
  incomplete: { received: number; of: number } | null;
  media: { place: number; contentType: string; size: number | null; state: string }[];
  events: ReviewEvent[];
  marks: Mark[];
  thread: { data: Item[]; hasEarlier: boolean; hasLater: boolean } | null;
  consent: Evidence[];
  effect: { heldTexts: number; since: string | null; isConfirmed: boolean } | null;
  similar: { optOuts: number; others: number } | null;
  pending: { decision: Decision; staffId: number; by: string; dueAt: string } | null;
  /** Whether digits of a number in its text are hidden. */
  isHidden: boolean;
  /** Why the reader can't decide it. */
  refusal: string | null;
};
type Part = { data: QueuedReview[]; cursor: number | null };

/** Of some people only, if their ids are given. */
export const queueQuery = (view: View, order: Order, members?: string) =>
  infiniteQueryOptions({
    queryKey: ['reviews', 'queue', view, order, members],
    queryFn: ({ pageParam }) =>
      get<Part>('/reviews', { query: { view, order, members, ...(pageParam ? { after: pageParam } : {}) } }),
    initialPageParam: 0,
    getNextPageParam: ({ cursor }: Part) => cursor,
    refetchInterval: 30_000,
  });

export const countsQuery = queryOptions({
  queryKey: ['reviews', 'counts'],
  queryFn: () => get<{ counts: Record<View, number>; countMax: number }>('/reviews/counts'),
  refetchInterval: 30_000,
});

export const reviewQuery = (reviewId: number) =>
  queryOptions({
    queryKey: ['reviews', 'one', reviewId],
    queryFn: () => get<ReviewDetail>(`/reviews/${reviewId}`),
  });

export const reviewersQuery = queryOptions({
  queryKey: ['reviews', 'reviewers'],
  queryFn: async () =>
    (await get<{ data: { staffId: number; name: string; role: Role }[] }>('/reviews/reviewers')).data,
  staleTime: 60_000,
});

/** What the overview says about the archive, for the margin. */
export const archiveQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => get<Overview>('/overview'),
  staleTime: 60_000,
});
