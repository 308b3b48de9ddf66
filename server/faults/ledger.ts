/** The name of no fault. */
export const calm = 'none';
/** The fault during which nodes may disagree about the time: each follows the sandbox's clock twice a second. */
export const clockFault = 'the clock a day ahead';

/** A text, unique in the run for its phone, and the answer to its request. */
export type Send = {
  text: string;
  phone: string;
  scheduled: boolean;
  /** What was wrong when it was sent. */
  fault: string;
  /** Unset until the outcome is known. `unanswered`: it may have been accepted or not. */
  outcome?: 'accepted' | 'refused' | 'unanswered';
  messageId?: number;
  scheduledMessageId?: number;
};

/** A consent request to a number that is asked once, and a reply that took effect. */
export type ConsentRequest = { phone: string; accepted: boolean };
export type PhoneReply = {
  phone: string;
  textingNumber: string;
  word: 'ACCEPT' | 'STOP';
  answeredAt: Date;
  /** The clock moved a day ahead meanwhile, which may be too late to confirm a STOP. */
  isLate?: boolean;
};

/** All requests and answers, kept where no kill can reach them. */
export type Ledger = {
  /** What is wrong at the moment. */
  fault: string;
  /** How far the sandbox's clock is ahead. */
  aheadMs: number;
  sends: Send[];
  /** How many of them were accepted. */
  accepted: number;
  asked: ConsentRequest[];
  replied: PhoneReply[];
  /** Answers that no fault explains. */
  surprises: string[];
  /** Requests that reached a server, even one that then died: how often each was answered in which way, by fault. */
  answers: Map<string, Map<CallResult, number>>;
  /** How long the slowest answer of the server took, by fault. */
  slowestMs: Map<string, number>;
  /** How long answers took, if somebody wants to know. */
  tookMs?: number[];
};

/** A status, of the server or of the load balancer; or why no answer came. */
export type CallResult = number | `none (${string})` | `${number} of the balancer`;

/** It has no answer of the contract's but a fault of ours. */
export function isFailure(answered: CallResult): boolean {
  return typeof answered === 'string' || answered >= 500;
}

export function makeLedger(): Ledger {
  return {
    fault: calm,
    aheadMs: 0,
    sends: [],
    accepted: 0,
    asked: [],
    replied: [],
    surprises: [],
    answers: new Map(),
    slowestMs: new Map(),
  };
}

export function noteAnswer({ answers }: Ledger, fault: string, answered: CallResult): void {
  const ofFault = answers.get(fault) ?? new Map<CallResult, number>();
  ofFault.set(answered, (ofFault.get(answered) ?? 0) + 1);
  answers.set(fault, ofFault);
}

export function noteTime({ slowestMs, tookMs }: Ledger, fault: string, ms: number): void {
  slowestMs.set(fault, Math.max(slowestMs.get(fault) ?? 0, ms));
  tookMs?.push(ms);
}

/** How many requests there were, how many of them failed, and how many got no answer: of one fault, or of all. */
export function requestsIn(
  { answers }: Ledger,
  fault?: string,
): { requests: number; failed: number; unanswered: number } {
  const chosen = [...answers]
    .filter(([name]) => fault === undefined || name === fault)
    .flatMap(([, each]) => [...each]);
  const sum = (some: [CallResult, number][]) => some.reduce((total, [, count]) => total + count, 0);
  const failed = sum(chosen.filter(([answered]) => isFailure(answered)));
  return {
    requests: sum(chosen),
    failed,
    unanswered: sum(chosen.filter(([answered]) => `${answered}`.startsWith('none'))),
  };
}
