import type { FailureReason } from '../../../sdk/src/types.ts';

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

/** What /app/api answers besides the partner API, whose types are the client's. Times are epoch milliseconds. */
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

export type ConsentState = 'none' | 'pending' | 'accepted' | 'opted_out';
/** A contact in the list, with what its number is good for. */
export type BookContact = {
  contactId: number;
  fullName: string;
  phone: string | null;
  email: string | null;
  groupNames: string[];
  changed: number;
  state: ConsentState;
  isHeld: boolean;
  lastText: number | null;
};
export type BookCounts = { everybody: number; states: Partial<Record<ConsentState, number>> };
export type ImportPreview = {
  importId: number;
  fileName: string;
  rowCount: number;
  refused: number;
  columns: { heading: string; field: string | null }[];
  rows: {
    line: number;
    result: ImportResult;
    why: string;
    name?: string;
    phone?: string | null;
    email?: string | null;
    groups?: string[];
  }[];
};
export type ImportResult = 'created' | 'updated' | 'unchanged' | 'repeated' | 'refused';
export type FileImport = Record<ImportResult, number> & {
  importId: number;
  fileName: string;
  status: 'previewed' | 'running' | 'done' | 'failed';
  rowCount: number;
  rowsDone: number;
  notes: { line: number; isRefused: boolean; why: string }[];
};
export type Group = { groupId: number; name: string; contactCount: number };
export type TextKind = 'text' | 'consent_request' | 'reminder' | 'confirmation' | 'help';
export type TextStatus =
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'in_doubt'
  | 'held'
  | 'awaiting_consent'
  | 'deferred';

export type Conversation = {
  memberId: number;
  phone: string;
  name: string | null;
  contactId: number | null;
  state: ConsentState;
  isHeld: boolean;
  unread: number;
  done: boolean;
  snoozedUntil: number | null;
  draft: string | null;
  /** When consent last changed, and when they were last asked. */
  lastChanged: number;
  requestedAt: number | null;
  last: {
    direction: 'in' | 'out';
    kind: TextKind;
    text: string | null;
    status: TextStatus | null;
    dateTime: number;
  } | null;
};

/** The open one also says where the number is, if that is known. */
export type OpenConversation = Conversation & { timeZone: string | null };

export type TextItem = {
  id: string;
  type: 'text';
  dateTime: number;
  messageId: number;
  kind: TextKind;
  text: string | null;
  status: TextStatus;
  failureCode: FailureReason | null;
  heldReason: 'supervision' | 'possible_opt_out' | null;
  deliverAfter: number | null;
  segments: number;
  actor: 'advisor' | 'application' | 'service';
  application: string | null;
};
/** One that is pending is still being fetched from the carrier. */
export type Attachment = { url: string; contentType: string; size: number; isPending: boolean };
export type ReplyItem = {
  id: string;
  type: 'reply';
  dateTime: number;
  replyId: number;
  text: string | null;
  media: Attachment[];
  isPossibleOptOut: boolean;
};
export type ConsentItem = {
  id: string;
  type: 'consent';
  dateTime: number;
  state: ConsentState;
  previousState: ConsentState;
  reason: string | null;
};
/** A change of consent with what proves it; `id` is that of its item. */
export type ConsentEvidence = {
  id: string;
  archiveNumber: number;
  dateTime: number;
  state: ConsentState;
  previousState: ConsentState;
  reason: string;
  channel: 'text' | 'carrier' | 'paper' | 'sandbox';
  by: 'person' | 'advisor' | 'application' | 'staff' | 'carrier' | 'operator' | 'service';
  byName: string | null;
  wording: { text: string; version: number; shown: number } | null;
  reply: { text: string; sent: number } | null;
  proof: string | null;
  isKept: boolean;
};
export type Wording = {
  kind: 'consent_request' | 'reminder' | 'opt_in' | 'opt_out' | 'help' | 'first_text';
  version: number;
  text: string;
};
export type ScheduledItem = {
  id: string;
  type: 'scheduled';
  dateTime: number;
  scheduledMessageId: number;
  text: string;
  frequency: Frequency;
  nextDeliveryDates: number[];
};
export type Item = TextItem | ReplyItem | ConsentItem | ScheduledItem;
/** A scheduled text in a calendar, with its dates in the month that is shown. */
export type Planned = {
  scheduledMessageId: number;
  memberId: number;
  phone: string;
  name: string | null;
  text: string;
  frequency: Frequency;
  deliveryDate: number;
  dates: number[];
};
export type Frequency = 0 | 1 | 2 | 3 | 4;

/** A text to send again. Its fields are filled in for each person: {firstName|there}. */
export type SavedReply = { savedReplyId: number; title: string; text: string };

export type Found = {
  people: { contactId: number; name: string; phone: string | null }[];
  texts: {
    /** Of the item in the thread. */
    itemId: string | null;
    memberId: number;
    phone: string;
    name: string | null;
    direction: 'in' | 'out';
    text: string;
    dateTime: number;
  }[];
};

export type CursorPage<Row> = { data: Row[]; cursor: string | null };
export type NumberedPage<Row> = { data: Row[]; pageInfo: { page: number; pageSize: number; totalRecord: number } };
export type View = 'inbox' | 'unread' | 'snoozed' | 'done';
