/** A text, unique in the run, and the answer to its request. */
export type Send = {
  text: string;
  phone: string;
  scheduled: boolean;
  /** Unset until the outcome is known. `unanswered`: it may have been accepted or not. */
  outcome?: 'accepted' | 'refused' | 'unanswered';
  messageId?: number;
  scheduledMessageId?: number;
};

/** A consent request to a number that is asked once, and a reply that took effect. */
export type Asked = { phone: string; accepted: boolean };
export type Replied = { phone: string; textingNumber: string; word: 'ACCEPT' | 'STOP'; answeredAt: Date };

/** All requests and answers, kept where no kill can reach them. */
export type Ledger = {
  sends: Send[];
  asked: Asked[];
  replied: Replied[];
  /** Answers that no fault explains. */
  surprises: string[];
  /** Requests that reached a server, even one that then died. */
  requests: number;
  unansweredRequests: number;
};

export function makeLedger(): Ledger {
  return { sends: [], asked: [], replied: [], surprises: [], requests: 0, unansweredRequests: 0 };
}
