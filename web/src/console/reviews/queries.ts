import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { assign, counts, get as getReview, list, reviewers } from '../../../../server/src/http/console/reviews.ts';
import { get } from '../../api/http.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import type { Overview } from '../overview/words.ts';

export type View = keyof AnswerOf<typeof counts>['counts'];
export type Order = 'oldest' | 'newest';
export type Decision = 'approved' | 'rejected';

export type Review = AnswerOf<typeof assign>;
export type QueuedReview = RowOf<typeof list>;
export type Mark = ReviewDetail['marks'][number];
export type Item = NonNullable<ReviewDetail['thread']>['data'][number];
export type Evidence = ReviewDetail['consent'][number];
export type ReviewEvent = ReviewDetail['events'][number];
export type ReviewDetail = AnswerOf<typeof getReview>;
/** Without a size, it isn't kept. */
export type KeptMedia = Extract<Item, { type: 'reply' }>['media'][number];

/** Of some people only, if their ids are given. */
export const queueQuery = (view: View, order: Order, members?: string) =>
  infiniteQueryOptions({
    queryKey: ['reviews', 'queue', view, order, members],
    queryFn: ({ pageParam }) =>
      get<AnswerOf<typeof list>>('/reviews', {
        query: { view, order, members, ...(pageParam ? { after: pageParam } : {}) },
      }),
    initialPageParam: 0,
    getNextPageParam: ({ cursor }: AnswerOf<typeof list>) => cursor,
    refetchInterval: 30_000,
  });

export const countsQuery = queryOptions({
  queryKey: ['reviews', 'counts'],
  queryFn: () => get<AnswerOf<typeof counts>>('/reviews/counts'),
  refetchInterval: 30_000,
});

export const reviewQuery = (reviewId: number) =>
  queryOptions({
    queryKey: ['reviews', 'one', reviewId],
    queryFn: () => get<ReviewDetail>(`/reviews/${reviewId}`),
    // A colleague may decide it while it is open here.
    refetchInterval: ({ state }) => (state.data?.pending ? 3_000 : 30_000),
  });

export const reviewersQuery = queryOptions({
  queryKey: ['reviews', 'reviewers'],
  queryFn: async () => (await get<AnswerOf<typeof reviewers>>('/reviews/reviewers')).data,
  staleTime: 60_000,
});

/** What the overview says about the archive, for the margin. */
export const archiveQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => get<Overview>('/overview'),
  staleTime: 60_000,
});
