import type { FileImport } from '../../../server/src/domain/address-book/file-imports.ts';
import type { countContacts } from '../../../server/src/domain/address-book/listed-contacts.ts';
import type { ConsentEvidence as Evidence } from '../../../server/src/domain/conversations/consent-evidence.ts';
import type {
  Item as AnyItem,
  SearchResult as FoundRows,
} from '../../../server/src/domain/conversations/conversation-items.ts';
import type { Conversation as Talk, View } from '../../../server/src/domain/conversations/conversations.ts';
import type { SavedReply } from '../../../server/src/domain/conversations/saved-replies.ts';
import type { PlannedText as PlannedRow } from '../../../server/src/domain/messages/calendar.ts';
import type { listRenderedWordings } from '../../../server/src/domain/texting/wordings.ts';
import type { AppContact } from '../../../server/src/http/advisor/api/contacts.ts';
import type { shownPreview } from '../../../server/src/http/advisor/api/imports.ts';

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

/** What /app/api answers besides the partner API, whose types are the client's. */
export type Session = {
  advisor: {
    advisorId: number;
    name: string;
    email: string;
    firmName: string;
    textingNumber: string | null;
    timeZone: string;
    consentRequired: boolean;
    consentCollection: boolean;
    quietHours: 'off' | 'defer' | 'refuse';
  };
  /** What they sign texts with; null if nothing. */
  signature: string | null;
  environment: 'sandbox' | 'production';
  formToken: string;
  now: number;
  cursor: string;
};

export type ConsentState = Talk['state'];
export type ContactCounts = Awaited<ReturnType<typeof countContacts>>;
export type ImportPreview = ReturnType<typeof shownPreview>;
export type ImportResult = ImportPreview['rows'][number]['result'];
export type Group = { groupId: number; name: string; contactCount: number };
export type TextKind = TextItem['kind'];
export type TextStatus = TextItem['status'];

export type Conversation = Omit<Epoch<Talk>, 'isDone'> & { done: boolean };

/** The open one also says where the number is, if that is known. */
export type OpenConversation = Conversation & { timeZone: string | null };

export type TextItem = Extract<Epoch<AnyItem>, { type: 'text' }>;
/** One that is pending is still being fetched from the carrier. */
export type Attachment = { url: string; contentType: string; size: number; isPending: boolean };
export type ReplyItem = Omit<Extract<Epoch<AnyItem>, { type: 'reply' }>, 'media'> & { media: Attachment[] };
export type ConsentItem = Extract<Epoch<AnyItem>, { type: 'consent' }>;
/** A change of consent with what proves it; `id` is that of its item. */
export type ConsentEvidence = Epoch<Evidence>;
export type Wording = Awaited<ReturnType<typeof listRenderedWordings>>[number];
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
