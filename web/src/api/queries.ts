import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { list as listCalendar } from '../../../server/src/http/advisor/api/calendar.ts';
import type { counts, list as listContacts, listGroups } from '../../../server/src/http/advisor/api/contacts.ts';
import type { listEvidence } from '../../../server/src/http/advisor/api/conversations.ts';
import type { get as getImport } from '../../../server/src/http/advisor/api/imports.ts';
import type { list as listSavedReplies } from '../../../server/src/http/advisor/api/saved-replies.ts';
import type { list as listWordings } from '../../../server/src/http/advisor/api/wordings.ts';
import { CallFailed, get, post } from './http.ts';
import type {
  AnswerOf,
  ConsentState,
  ContactDetail,
  ContentItem,
  Conversation,
  ConversationPage,
  ItemPage,
  MessageCheckResult,
  MessageRequest,
  OpenConversation,
  Page,
  ScheduledMessage,
  SearchResult,
  View,
} from './types.ts';

const triesMax = 2;

/** Events say when something changed, so nothing is fetched again by itself. */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < triesMax && error instanceof CallFailed && error.retryable,
    },
  },
});

export const conversationsQuery = (view: View) =>
  infiniteQueryOptions({
    queryKey: ['conversations', view],
    queryFn: ({ pageParam, signal }) =>
      get<ConversationPage>('/conversations', { query: { view, before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor ?? undefined,
  });

export const conversationQuery = (memberId: number) =>
  queryOptions({
    queryKey: ['conversation', memberId],
    queryFn: ({ signal }) => get<OpenConversation>(`/conversations/${memberId}`, { signal }),
    placeholderData: () => listedConversation(memberId),
  });

/** What a list knows of it, so that a slow connection shows no empty screen. */
function listedConversation(memberId: number): OpenConversation | undefined {
  type Pages = InfiniteData<ConversationPage>;
  const rows = client
    .getQueriesData<Pages>({ queryKey: ['conversations'] })
    .flatMap(([, data]) => data?.pages.flatMap((page) => page.data) ?? []);
  const row = rows.find((each) => each.memberId === memberId);
  return row && { ...row, timeZone: null };
}

/** Pages go back in time: the first one is the newest. */
export const itemsQuery = (memberId: number) =>
  infiniteQueryOptions({
    queryKey: ['items', memberId],
    queryFn: ({ pageParam, signal }) => loadItems(memberId, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor ?? undefined,
  });

/** Loads a thread back to a text, so that somebody can see it among those around it. */
export async function reachItem(memberId: number, itemId: string): Promise<void> {
  const page = await get<ItemPage>(`/conversations/${memberId}/items`, { query: { from: itemId } });
  client.setQueryData(itemsQuery(memberId).queryKey, { pages: [page], pageParams: [undefined] });
}

export function loadItems(memberId: number, before?: string, signal?: AbortSignal): Promise<ItemPage> {
  return get<ItemPage>(`/conversations/${memberId}/items`, { query: { before }, signal });
}

/** The whole thread, for paper. */
export function loadAllItems(memberId: number): Promise<unknown> {
  return client.fetchInfiniteQuery({ ...itemsQuery(memberId), pages: Number.POSITIVE_INFINITY, staleTime: 0 });
}

export const evidenceQuery = (memberId: number) =>
  queryOptions({
    queryKey: ['evidence', memberId],
    queryFn: async ({ signal }) =>
      (await get<AnswerOf<typeof listEvidence>>(`/conversations/${memberId}/evidence`, { signal })).data,
    staleTime: 0,
  });

/** What people read of the firm's. */
export const wordingsQuery = queryOptions({
  queryKey: ['wordings'],
  queryFn: async ({ signal }) => (await get<AnswerOf<typeof listWordings>>('/wordings', { signal })).data,
  staleTime: 0,
});

export async function findByPhone(phone: string): Promise<Conversation | null> {
  return (await get<ConversationPage>('/conversations', { query: { phone } })).data[0] ?? null;
}

export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => get<SearchResult>('/search', { query: { text }, signal }),
    enabled: text.trim().length > 1,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

/** What a send of this would do. */
export const checkQuery = (message: MessageRequest, version: string) =>
  queryOptions({
    queryKey: ['check', message, version],
    queryFn: async ({ signal }) => {
      const { data } = await post<MessageCheckResult>('/v1/text/messaging/messages/check', {
        body: message,
        signal,
      });
      return data[0] ?? null;
    },
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export type ContactFilter = {
  search: string;
  groupId: number | undefined;
  consent: ConsentState | undefined;
  sortBy: 'fullName' | 'groupCount' | 'dateTimeModified';
  sortDirection: 'asc' | 'desc';
};
export const contactsPageSize = 100;

export const contactsQuery = (filter: ContactFilter, page: number) =>
  queryOptions({
    queryKey: ['contacts', filter, page],
    queryFn: ({ signal }) =>
      get<AnswerOf<typeof listContacts>>('/contacts', {
        query: { ...filter, page, pageSize: contactsPageSize },
        signal,
      }),
    staleTime: 30_000,
  });

export const countsQuery = queryOptions({
  queryKey: ['counts'],
  queryFn: ({ signal }) => get<AnswerOf<typeof counts>>('/contacts/counts', { signal }),
  staleTime: 30_000,
});

export const contactQuery = (contactId: number) =>
  queryOptions({
    queryKey: ['contact', contactId],
    queryFn: ({ signal }) => get<ContactDetail>(`/v1/core/contact/contacts/${contactId}`, { signal }),
    staleTime: 30_000,
  });

/** As many as the server gives at a time. */
const groupsPageSize = 200;

/** All of them. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => {
    const load = (page: number) =>
      get<AnswerOf<typeof listGroups>>('/groups', { query: { page, pageSize: groupsPageSize }, signal });
    const first = await load(1);
    const others = Math.ceil(first.pageInfo.totalRecord / groupsPageSize) - 1;
    const rest = await Promise.all(Array.from({ length: Math.max(others, 0) }, (_, index) => load(index + 2)));
    return { data: [first, ...rest].flatMap((page) => page.data) };
  },
  staleTime: 30_000,
});

const importMs = 700;

/** The advisor's last import, and how far it is. */
export const importQuery = queryOptions({
  queryKey: ['import'],
  queryFn: async ({ signal }) => (await get<AnswerOf<typeof getImport>>('/imports', { signal })).import,
  refetchInterval: ({ state }) => (state.data?.status === 'running' ? importMs : false),
});

const book = ['contacts', 'contact', 'groups', 'counts', 'import'];
const otherTabs = new BroadcastChannel('assent-book');
// A new name is in their conversation, too.
otherTabs.onmessage = () => void stale([...book, 'conversations', 'conversation']);

/** Whatever shows the address book is fetched again. */
export function refreshBook(): Promise<unknown> {
  return stale(book);
}

/** The same, in every tab: no event of the server's tells them of a contact that was edited here. */
export function refreshBooks(): Promise<unknown> {
  otherTabs.postMessage('');
  return refreshBook();
}

function stale(names: string[]): Promise<unknown> {
  return Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}

export const savedRepliesQuery = queryOptions({
  queryKey: ['saved-replies'],
  queryFn: async ({ signal }) => (await get<AnswerOf<typeof listSavedReplies>>('/saved-replies', { signal })).data,
});

export const contentQuery = (searchText: string) =>
  queryOptions({
    queryKey: ['content', searchText],
    queryFn: ({ signal }) =>
      get<Page<ContentItem>>('/v1/core/content/library/search', {
        query: { searchText, pageSize: 25 },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const scheduledQuery = infiniteQueryOptions({
  queryKey: ['scheduled'],
  queryFn: ({ pageParam, signal }) =>
    get<Page<ScheduledMessage>>('/v1/text/messaging/scheduled-messages', {
      query: { page: pageParam, pageSize: 50 },
      signal,
    }),
  initialPageParam: 1,
  getNextPageParam: ({ pageInfo: { page, pageSize, totalRecord } }) =>
    page * pageSize < totalRecord ? page + 1 : undefined,
  staleTime: 30_000,
});

/** Under the same key as the list, so that what changes one changes both. */
export const nextDatesQuery = (scheduledMessageId: number) =>
  queryOptions({
    queryKey: ['scheduled', 'one', scheduledMessageId],
    queryFn: async ({ signal }) => {
      const path = `/v1/text/messaging/scheduled-messages/${scheduledMessageId}`;
      return (await get<ScheduledMessage>(path, { signal })).nextDeliveryDates;
    },
    staleTime: 0,
  });

/** The same. */
export const calendarQuery = (from: number, until: number) =>
  queryOptions({
    queryKey: ['scheduled', 'calendar', from, until],
    queryFn: ({ signal }) => get<AnswerOf<typeof listCalendar>>('/calendar', { query: { from, until }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
