import { fileURLToPath } from 'node:url';
import { startFarEnd } from '../../support/far-ends.ts';

export type VendorName = 'twilio' | 'telnyx';

/** What the stand-in does with a text: the first rule for its number that has times left. */
export type Rule = {
  to?: string;
  times?: number;
  pauseMs?: number;
  /** Until it is released. */
  waits?: true;
  /**
   * `lose`: takes it and closes the connection. `drop`: closes it without taking the text. `fail` and `fail_after_taking`: 500.
   * `unavailable`: 503 with Retry-After. `busy`: 503 without it. `page`: an HTML page with a 403, as proxies send it.
   */
  does?: 'lose' | 'drop' | 'throttle' | 'unavailable' | 'busy' | 'fail' | 'fail_after_taking' | 'page' | 'no_id';
  /** The vendor's error, with its HTTP status. */
  error?: { code: string; status: number };
};

export type TakenText = {
  vendor: VendorName;
  id: string;
  from: string;
  to: string;
  text: string;
  callback: string;
  createdAt: string;
  status: string;
  errorCode: string | null;
  /** The request's body as it came. */
  body: string;
};

/** `at` is when the answer came, in epoch milliseconds. */
export type CallbackResponse = { status: number; type: string; body: string; at: number };
/** A request with a text, taken or not. */
export type Arrival = { phone: string; textingNumber: string; text: string; at: number };
export type Delivery = {
  url: string;
  from: string;
  to: string;
  text: string;
  id: string;
  keyword?: string;
  media?: { url: string; contentType: string; size?: number }[];
};

export type StandIn = {
  port: number;
  publicKey: string;
  behave(...rules: Rule[]): Promise<void>;
  /** Lets every text go on that waits. */
  release(): Promise<void>;
  /** Texts that it took, and how many requests with a text there were. */
  taken(to: string): Promise<TakenText[]>;
  requests(to: string): Promise<number>;
  arrivals(): Promise<Arrival[]>;
  /** How a text is doing from now on. */
  move(id: string, status: string, errorCode?: string): Promise<void>;
  /** Records a text as if it had been taken then, without a request. */
  record(taken: Partial<TakenText>): Promise<void>;
  /** Calls back about a text, one status after another. */
  tell(id: string, ...statuses: { status: string; errorCode?: string; forged?: true }[]): Promise<CallbackResponse[]>;
  deliver(vendor: VendorName, delivery: Delivery, forged?: true): Promise<CallbackResponse>;
  /** The credentials that requests for media came with. */
  mediaCredentials(): Promise<string[]>;
  stop(): Promise<void>;
};

export const accountSid = `AC${'0123456789abcdef'.repeat(2)}`;
export const authToken = '5ecret0f7heacc0unt';
export const apiKey = 'KEY0123_secret';

const program = fileURLToPath(new URL('stand-in-process.ts', import.meta.url));

/** A stand-in for both vendors, in a process of its own, that answers as they document it. */
export async function startStandIn(): Promise<StandIn> {
  const { call, stop } = startFarEnd(program);
  const { port, publicKey }: { port: number; publicKey: string } = await call('listen');
  return {
    port,
    publicKey,
    behave: (...rules) => call('behave', rules),
    release: () => call('release'),
    taken: (to) => call('taken', to),
    requests: (to) => call('requests', to),
    arrivals: () => call('arrivals'),
    move: (id, status, errorCode) => call('move', id, status, errorCode),
    record: (taken) => call('record', taken),
    tell: (id, ...statuses) => call('tell', id, statuses),
    deliver: (vendor, delivery, forged) => call('deliver', vendor, delivery, forged),
    mediaCredentials: () => call('mediaCredentials'),
    stop,
  };
}
