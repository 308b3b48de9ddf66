import type { AppSession } from '../../../server/src/http/advisor/api/app-session.ts';
import type * as calendar from '../../../server/src/http/advisor/api/calendar.ts';
import type * as contacts from '../../../server/src/http/advisor/api/contacts.ts';
import type * as conversations from '../../../server/src/http/advisor/api/conversations.ts';
import type * as imports from '../../../server/src/http/advisor/api/imports.ts';
import type * as savedReplies from '../../../server/src/http/advisor/api/saved-replies.ts';
import type * as wordings from '../../../server/src/http/advisor/api/wordings.ts';
import type { OwnEndpoint } from '../../../server/src/http/door/route.ts';

export type {
  ConsentRequestResult,
  ConsentState,
  ContactDetail,
  ContactInput,
  ContentItem,
  FailureReason,
  IdResult,
  MessageCheck,
  MessageCheckResult,
  MessageRequest,
  MessageResult,
  Page,
  ScheduledMessage,
} from '../../../sdk/src/types.ts';
export type { View } from '../../../server/src/domain/conversations/conversations.ts';

/** As JSON has it: moments are strings. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Json<Value[Key]> }
    : Value;

/** As /app/api writes the server's own types: moments are epoch milliseconds. */
type Epoch<Value> = Value extends Date
  ? number
  : Value extends object
    ? { [Key in keyof Value]: Epoch<Value[Key]> }
    : Value;

/** What an endpoint of the app's own answers, by its handler: pages and server can't disagree about it. */
export type AnswerOf<Own extends OwnEndpoint> = Epoch<Awaited<ReturnType<Own['handler']>>>;
/** A row of a list that it answers. */
export type RowOf<Own extends OwnEndpoint<{ data: unknown[] }>> = AnswerOf<Own>['data'][number];
/** What it takes. */
export type BodyOf<Own extends OwnEndpoint> = NonNullable<Own['takes']>;

export type Session = Epoch<AppSession>;

export type AppContact = RowOf<typeof contacts.list>;
export type Group = RowOf<typeof contacts.listGroups>;
export type ImportPreview = ReturnType<typeof imports.shownPreview>;
export type FileImport = NonNullable<AnswerOf<typeof imports.get>['import']>;
export type SavedReply = RowOf<typeof savedReplies.list>;
export type Wording = RowOf<typeof wordings.list>;

export type ConversationPage = AnswerOf<typeof conversations.list>;
export type Conversation = ConversationPage['data'][number];
/** The open one also says where the number is, if that is known. */
export type OpenConversation = AnswerOf<typeof conversations.get>;
export type SearchResult = AnswerOf<typeof conversations.search>;

export type ItemPage = AnswerOf<typeof conversations.listItems>;
export type Item = ItemPage['data'][number];
export type TextItem = Extract<Item, { type: 'text' }>;
export type ReplyItem = Extract<Item, { type: 'reply' }>;
export type ConsentItem = Extract<Item, { type: 'consent' }>;
/** A change of consent with what proves it; `id` is that of its item. */
export type ConsentEvidence = RowOf<typeof conversations.listEvidence>;
export type ScheduledItem = Extract<Item, { type: 'scheduled' }>;
/** A scheduled text in a calendar, with its dates in the month that is shown. */
export type PlannedText = RowOf<typeof calendar.list>;
export type Frequency = PlannedText['frequency'];
