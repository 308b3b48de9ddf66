/** A text that was to go out, said once in the whole run, and what its request was answered. */
export type Send = {
  text: string;
  phone: string;
  scheduled: boolean;
  /** Unset until something sure is known. `unanswered`: it may have been accepted or not. */
  outcome?: 'accepted' | 'refused' | 'unanswered';
  messageId?: number;
  scheduledMessageId?: number;
};

/** A consent request of a number that is asked once, and a person's reply that took effect. */
export type Asked = { phone: string; accepted: boolean };
export type Replied = { phone: string; textingNumber: string; word: 'ACCEPT' | 'STOP'; answeredAt: Date };

/** All that was asked of the server and what it said, kept where no kill reaches it. */
export type Ledger = {
  sends: Send[];
  asked: Asked[];
  replied: Replied[];
  /** Answers that no fault explains. */
  surprises: string[];
  /** That reached a server, dead or alive. */
  requests: number;
  unansweredRequests: number;
};

export function makeLedger(): Ledger {
  return { sends: [], asked: [], replied: [], surprises: [], requests: 0, unansweredRequests: 0 };
}
