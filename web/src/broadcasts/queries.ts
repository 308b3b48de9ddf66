import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  checkConsent,
  get as getBroadcast,
  list,
  listRecipients,
  check as makeCheck,
  preview,
  startConsent,
} from '../../../server/src/http/advisor/api/broadcasts.ts';
import { get, post } from '../api/http.ts';
import type { AnswerOf, BodyOf, FailureReason, RowOf } from '../api/types.ts';

/** Why somebody gets no text, or one that is held. */
export type Code = NonNullable<PersonalPreview['code']> | FailureReason | RequestCheck['leftOut'][number]['code'];

/** A person's own text, and what would become of it. */
export type PersonalPreview = RowOf<typeof preview>;
export type GroupCheck = AnswerOf<typeof makeCheck>;
export type RequestCheck = AnswerOf<typeof checkConsent>;
export type ContactChoice = BodyOf<typeof startConsent>['whom'];

export type Broadcast = RowOf<typeof list>;
export type OpenBroadcast = AnswerOf<typeof getBroadcast>;
export type Recipient = Omit<RowOf<typeof listRecipients>, 'code'> & { code: Code | null };

type GroupText = { groupId: number; text: string };

/** What a text to everybody in the group would do. `quarter` makes it be asked again as time goes by. */
export const checkQuery = (written: GroupText, quarter: number) =>
  queryOptions({
    queryKey: ['broadcast-check', 'totals', written, quarter],
    queryFn: ({ signal }) => post<GroupCheck>('/broadcasts/check', { body: written, signal }),
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const previewQuery = (written: GroupText, quarter: number) =>
  infiniteQueryOptions({
    queryKey: ['broadcast-check', 'people', written, quarter],
    queryFn: ({ pageParam, signal }) =>
      post<AnswerOf<typeof preview>>('/broadcasts/preview', { body: { ...written, from: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

/** Whom a request for consent would ask; asked anew with every dialog. */
export const requestCheckQuery = (whom: ContactChoice) =>
  queryOptions({
    queryKey: ['broadcast-check', 'consent', whom],
    queryFn: ({ signal }) => post<RequestCheck>('/broadcasts/consent/check', { body: { whom }, signal }),
    gcTime: 0,
    retry: false,
  });

export const broadcastsQuery = infiniteQueryOptions({
  queryKey: ['broadcasts', 'list'],
  queryFn: ({ pageParam, signal }) =>
    get<AnswerOf<typeof list>>('/broadcasts', { query: { before: pageParam }, signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

export const broadcastQuery = (broadcastId: number) =>
  queryOptions({
    queryKey: ['broadcasts', broadcastId],
    queryFn: ({ signal }) => get<OpenBroadcast>(`/broadcasts/${broadcastId}`, { signal }),
  });

export const recipientsQuery = (broadcastId: number, only: 'trouble' | undefined) =>
  infiniteQueryOptions({
    queryKey: ['broadcasts', broadcastId, 'people', only],
    queryFn: ({ pageParam, signal }) =>
      get<{ data: Recipient[]; next: number | null }>(`/broadcasts/${broadcastId}/recipients`, {
        query: { after: pageParam, only },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
