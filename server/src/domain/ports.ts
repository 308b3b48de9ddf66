import type { ContactFields } from '../store/address-book/contacts.ts';
import type { TextKind } from '../store/texting/texts.ts';

/** What the domain needs of the world outside, where more than one thing can be at the far end. */

/** Domain time: contact, message and consent times, schedules, quiet hours. Tokens, leases and limits use real time. */
export type Clock = { now(): Date };

/** Whoever carries texts to phones and back. */
export type Carrier = {
  readonly name: string;
  /** What it can tell at once about a number, without asking anybody. */
  check(phone: string): 'unreachable' | 'landline' | null;
  /**
   * Hands a text over. What it answers is sure; when it throws, or doesn't answer in time, nobody knows whether the text
   * was taken.
   */
  submit(text: OutgoingText): Promise<Submission>;
  /** From now on replies and receipts go there, until the returned function is called. */
  listen(inbound: Inbound): () => Promise<void>;
  /** What it took from the one moment to before the other, delivered or not, where it keeps such records. */
  records?(from: Date, to: Date): AsyncIterable<CarrierRecord>;
};

/** A text as the carrier has it on record; some don't keep what it says. */
export type CarrierRecord = { carrierMessageId: string; from: string; to: string; text?: string; dateTime: Date };

export type OutgoingText = { from: string; to: string; text: string; kind: TextKind };

/** Taken; refused for good; or surely not taken, so that it can be tried again. */
export type Submission =
  | { accepted: string }
  | { refused: 'unreachable' | 'landline' | 'opted_out' | 'rejected' }
  | { notTaken: string };

/** What a carrier brings; each may come more than once and in any order. */
export type Inbound = {
  reply(reply: IncomingReply): Promise<void>;
  receipt(receipt: Receipt): Promise<void>;
};

export type IncomingReply = { carrierMessageId: string; from: string; to: string; text: string; sentAt: Date };
export type Receipt = { carrierMessageId: string; status: 'delivered' | 'undelivered'; code?: string };

/** An advisor's CRM. It may be down, slow, wrong or hostile: whatever it does comes out as an answer or a CrmFault. */
export type Crm = {
  /** The contact that has this number; null where none has. */
  lookup(phone: string, until: AbortSignal): Promise<RemoteContact | null>;
  /** Every contact, a batch at a time. One whose version is the known one of its locator comes as unchanged, unread. */
  list(known: ReadonlyMap<string, string>, until: AbortSignal): AsyncIterable<CrmBatch>;
};

export type CrmBatch = {
  contacts: RemoteContact[];
  /** Locators of those that are as they were. */
  unchanged: string[];
  refused: CrmRefusal[];
  /** How many there are in all, where the CRM says so. */
  total: number | null;
};

/** A contact that can't be taken: which one, as well as that can be said, and why. */
export type CrmRefusal = { what: string; why: string; locator?: string };

export type RemoteContact = {
  remoteContactId: string;
  remoteContactUrl: string | null;
  /** Where it lies in the CRM: what `list` is told versions by. */
  locator: string;
  version: string | null;
  /** Only what obeys the rules of a contact … */
  fields: Partial<ContactFields>;
  /** … and what was left out because it doesn't. */
  leftOut: string[];
};

export const crmKinds = ['carddav', 'file', 'https'] as const;
export type CrmKind = (typeof crmKinds)[number];

/** How to reach a CRM; `secret` is a password or a signing secret. */
export type CrmAccess =
  | { kind: 'carddav'; url: string; username: string; secret: string; region: string }
  | { kind: 'file'; path: string; format: 'csv' | 'vcard'; region: string }
  | { kind: 'https'; url: string; secret: string };
export type OpenCrm = (access: CrmAccess) => Crm;

/** Why the CRM could not be asked, in a sentence that an operator may read. */
export class CrmFault extends Error {}

export type { TextKind } from '../store/texting/texts.ts';
