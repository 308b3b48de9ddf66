import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post } from '../api/http.ts';
import type { FailureReason, TextItem } from '../api/types.ts';
import type { FieldName } from '../saved-replies/fields.tsx';

/** Why somebody in the group gets no text, or one that is held. */
export type Code =
  | FailureReason
  | 'no_phone'
  | 'same_number'
  | 'missing_field'
  | 'too_long'
  | 'supervision'
  | 'possible_opt_out';

/** A person's own text, and what would become of it. */
export type PersonalPreview = {
  place: number;
  contactId: number;
  name: string | null;
  phone: string | null;
  text: string;
  missing: FieldName[];
  segments: number;
  status: 'queued' | 'deferred' | 'held' | null;
  code: Code | null;
  earliest: number | null;
};

export type GroupCheck = {
  people: number;
  now: number;
  later: number;
  held: number;
  earliest: number | null;
  refusals: { code: Code; people: number }[];
  refused: PersonalPreview[];
  segments: number;
  version: string;
};

export type Outcome =
  | 'waiting'
  | 'deferred'
  | 'refused'
  | 'stopped'
  | 'queued'
  | 'held'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'in_doubt';

export type Broadcast = {
  broadcastId: number;
  groupId: number;
  groupName: string;
  text: string;
  status: 'sending' | 'done' | 'stopped';
  people: number;
  accepted: number;
  refused: number;
  dateTimeCreated: number;
  dateTimeEnded: number | null;
};
export type OpenBroadcast = Broadcast & { counts: Partial<Record<Outcome, number>> };

export type Recipient = Pick<PersonalPreview, 'place' | 'contactId' | 'name' | 'phone' | 'text'> & {
  memberId: number | null;
  heldReason: TextItem['heldReason'];
  outcome: Outcome;
  code: Code | null;
  deliverAfter: number | null;
};

type Part<Row> = { data: Row[]; next: number | null };
export type Written = { groupId: number; text: string };

/** What a text to everybody in the group would do. `quarter` makes it be asked again as time goes by. */
export const checkQuery = (written: Written, quarter: number) =>
  queryOptions({
    queryKey: ['broadcast-check', 'totals', written, quarter],
    queryFn: ({ signal }) => post<GroupCheck>('/broadcasts/check', { body: written, signal }),
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const previewQuery = (written: Written, quarter: number) =>
  infiniteQueryOptions({
    queryKey: ['broadcast-check', 'people', written, quarter],
    queryFn: ({ pageParam, signal }) =>
      post<Part<PersonalPreview>>('/broadcasts/preview', { body: { ...written, from: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
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
