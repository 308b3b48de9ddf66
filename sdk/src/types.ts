import type { components, operations, webhooks } from './openapi.ts';

type Schemas = components['schemas'];
type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type ProblemCode = Schemas['ProblemCode'];
export type FailureCode = Schemas['FailureCode'];
export type FailureReason = Schemas['FailureReason'];
export type FailureDetail = Schemas['FailureDetail'];
export type Scope = Schemas['Scope'];

export type MessageRequest = Schemas['MessageRequest'];
export type MessageResult = Schemas['MessageResult'];
export type MessageSuccess = Schemas['MessageSuccess'];
export type MessageStatus = Schemas['MessageStatus'];
export type MessageCheck = Schemas['MessageCheck'];
export type MessageCheckResult = Schemas['MessageCheckResult'];
export type MessageFilter = Query<'listMessages'>;

export type ConsentState = Schemas['ConsentState'];
export type ConsentStatus = Schemas['ConsentStatus'];
export type ConsentRequest = Schemas['ConsentRequest'];
export type ConsentRequestResult = Schemas['ConsentRequestResult'];
export type ConsentSearch = Schemas['ConsentSearch'];
export type ConsentSearchItem = Schemas['ConsentSearchItem'];
export type ConsentSearchResult = Schemas['ConsentSearchResult'];
/** Whose consent: by phone number, or by the member id of an earlier response. */
export type ConsentKey = { phone: string; memberId?: number } | { phone?: undefined; memberId: number };

export type ScheduledMessage = Schemas['ScheduledMessage'];
export type ScheduledMessageChange = Schemas['ScheduledMessageChange'];
export type ScheduledMessageFilter = Query<'listScheduledMessages'>;

export type ContactInput = Schemas['ContactInput'];
export type ContactDetail = Schemas['ContactDetail'];
export type ContactSummary = Schemas['ContactSummary'];
export type ContactFilter = Query<'searchContacts'>;
export type ChangedContact = Schemas['ChangedContact'];
export type GroupMemberships = Schemas['GroupMemberships'];
export type GroupInput = Schemas['GroupInput'];
export type GroupSummary = Schemas['GroupSummary'];
export type GroupFilter = Query<'searchGroups'>;
export type ContentItem = Schemas['ContentItem'];
export type ContentFilter = Query<'searchContent'>;
export type IdResult = Schemas['IdResult'];
export type Account = Schemas['Account'];
export type Enumerations = Schemas['Enumerations'];

/** What the feed of events has. */
export type Event = Schemas['Event'];
/** What is pushed to a webhook: the same events with their advisor, and some that the feed doesn't have. Narrow it by `type`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

export type PageInfo = {
  page: number;
  pageSize: number;
  totalRecord: number;
  sortDirection: 'asc' | 'desc';
  sortBy: string;
};
export type Page<Item> = { data: Item[]; pageInfo: PageInfo };
export type FeedPage<Item> = { data: Item[]; cursor: string; more: boolean };

/** Options of every call. */
export type CallOptions = {
  /** Ends the call and its retries; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** In milliseconds, for each attempt. */
  timeout?: number | undefined;
};
/** Options of a POST. */
export type PostOptions = CallOptions & {
  /**
   * By default each call has one of its own, the same for all of its attempts. Pass yours to repeat a call across restarts. The server
   * keeps it for 24 hours: after that, the same call texts again.
   */
  idempotencyKey?: string | undefined;
};
