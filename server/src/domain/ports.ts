import type { TextKind } from '../store/messages.ts';

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
};

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

export type { TextKind } from '../store/messages.ts';
