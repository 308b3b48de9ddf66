import type { FileImport } from '../../../server/src/domain/address-book/file-imports.ts';
import type {
  Item as AnyItem,
  SearchResult as FoundRows,
} from '../../../server/src/domain/conversations/conversation-items.ts';
import type { Conversation as Talk, View } from '../../../server/src/domain/conversations/conversations.ts';
import type { SavedReply } from '../../../server/src/domain/conversations/saved-replies.ts';
import type { PlannedText as PlannedRow } from '../../../server/src/domain/messages/calendar.ts';
import type { AppSession } from '../../../server/src/http/advisor/api/app-session.ts';
import type * as contacts from '../../../server/src/http/advisor/api/contacts.ts';
import type { AppContact } from '../../../server/src/http/advisor/api/contacts.ts';
import type * as conversations from '../../../server/src/http/advisor/api/conversations.ts';
import type { shownPreview } from '../../../server/src/http/advisor/api/imports.ts';
import type * as wordings from '../../../server/src/http/advisor/api/wordings.ts';
import type { OwnEndpoint } from '../../../server/src/http/door/route.ts';

export type {
  ConsentRequestResult,
  ContactDetail,
  ContactInput,
  ContentItem,
  FailureReason,
  MessageCheck,
  MessageRequest,
  MessageResult,
  ScheduledMessage,
} from '../../../sdk/src/types.ts';
export type { AppContact, FileImport, SavedReply, View };

/** As JSON has it: moments are strings. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Json<Value[Key]> }
    : Value;

/** As /app/api writes the server's own types: moments are epoch milliseconds. */
export type Epoch<Value> = Value extends Date
  ? number
  : Value extends object
    ? { [Key in keyof Value]: Epoch<Value[Key]> }
    : Value;

/** What an endpoint of the app's own answers, by its handler: pages and server can't disagree about it. */
export type AnswerOf<Own extends OwnEndpoint> = Epoch<Awaited<ReturnType<Own['handler']>>>;
/** What it takes. */
export type BodyOf<Own extends OwnEndpoint> = NonNullable<Own['takes']>;

export type Session = Epoch<AppSession>;

export type ConsentState = Talk['state'];
export type ContactCounts = AnswerOf<typeof contacts.counts>;
export type ImportPreview = ReturnType<typeof shownPreview>;
export type ImportResult = ImportPreview['rows'][number]['result'];
export type Group = AnswerOf<typeof contacts.listGroups>['data'][number];
export type TextKind = TextItem['kind'];
export type TextStatus = TextItem['status'];

export type Conversation = AnswerOf<typeof conversations.list>['data'][number];

/** The open one also says where the number is, if that is known. */
export type OpenConversation = Conversation & { timeZone: string | null };

export type TextItem = Extract<Epoch<AnyItem>, { type: 'text' }>;
/** One that is pending is still being fetched from the carrier. */
export type Attachment = { url: string; contentType: string; size: number; isPending: boolean };
export type ReplyItem = Omit<Extract<Epoch<AnyItem>, { type: 'reply' }>, 'media'> & { media: Attachment[] };
export type ConsentItem = Extract<Epoch<AnyItem>, { type: 'consent' }>;
/** A change of consent with what proves it; `id` is that of its item. */
export type ConsentEvidence = AnswerOf<typeof conversations.listEvidence>['data'][number];
export type Wording = AnswerOf<typeof wordings.list>['data'][number];
export type ScheduledItem = Extract<Epoch<AnyItem>, { type: 'scheduled' }> & { frequency: Frequency };
export type Item = TextItem | ReplyItem | ConsentItem | ScheduledItem;
/** A scheduled text in a calendar, with its dates in the month that is shown. */
export type PlannedText = Epoch<PlannedRow> & { frequency: Frequency };
export type Frequency = 0 | 1 | 2 | 3 | 4;

export type SearchResult = {
  people: (Pick<AppContact, 'contactId' | 'phone' | 'state' | 'isHeld'> & { name: string })[];
  /** `itemId` is that of the item in the thread. */
  texts: (Epoch<Omit<FoundRows['texts'][number], 'id'>> & { itemId: string | null })[];
};

export type CursorPage<Row> = { data: Row[]; cursor: string | null };
export type NumberedPage<Row> = { data: Row[]; pageInfo: { page: number; pageSize: number; totalRecord: number } };
