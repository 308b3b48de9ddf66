import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  Broadcast as ABroadcast,
  BroadcastRecipient as ARecipient,
  BroadcastOutcome,
} from '../../../server/src/domain/broadcasts/broadcasts.ts';
import type {
  RequestCheck as AChecked,
  ContactChoice,
  LeftOutCode,
} from '../../../server/src/domain/broadcasts/consent-broadcasts.ts';
import type {
  GroupCheck as Check,
  PersonalPreview as Preview,
} from '../../../server/src/domain/broadcasts/previews.ts';
import { get, post } from '../api/http.ts';
import type { ConsentState, Epoch, FailureReason } from '../api/types.ts';

/** Why somebody gets no text, or one that is held. */
export type Code = NonNullable<PersonalPreview['code']> | FailureReason | LeftOutCode;

/** A person's own text, and what would become of it. */
export type PersonalPreview = Epoch<Omit<Preview, 'refused'>>;

export type GroupCheck = Epoch<Check>;

export type Broadcast = Epoch<ABroadcast>;
export type OpenBroadcast = Broadcast & {
  counts: Partial<Record<BroadcastOutcome, number>>;
  answers: Partial<Record<ConsentState, number>>;
};
export type RequestCheck = Epoch<AChecked>;

export type Recipient = Omit<Epoch<ARecipient>, 'code'> & { code: Code | null };

export type { BroadcastOutcome, ContactChoice };

type Part<Row> = { data: Row[]; next: number | null };
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
      post<Part<PersonalPreview>>('/broadcasts/preview', { body: { ...written, from: pageParam }, signal }),
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
  queryFn: ({ pageParam, signal }) => get<Part<Broadcast>>('/broadcasts', { query: { before: pageParam }, signal }),
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
      get<Part<Recipient>>(`/broadcasts/${broadcastId}/recipients`, { query: { after: pageParam, only }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
