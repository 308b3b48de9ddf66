import { fileURLToPath } from 'node:url';
import { startFarEnd } from '../test/support/far-ends.ts';

/** A text as a phone has it: who sent it, from and to which number, and when its first part arrived, in epoch milliseconds. */
export type ReceivedText = { phone: string; textingNumber: string; text: string; at: number };

/** The phones behind an SMSC, in a process of its own that no fault reaches. It keeps all that it took, and confirms it with receipts. */
export type Phones = {
  port: number;
  /** Replies once. When it was acknowledged, in epoch milliseconds; null if it wasn't. */
  reply(phone: string, to: string, text: string): Promise<number | null>;
  /** How long it takes for an answer, from now on. */
  answerIn(ms: number): Promise<void>;
  has(phone: string, text: string): Promise<boolean>;
  count(): Promise<number>;
  received(): Promise<ReceivedText[]>;
  stop(): Promise<void>;
};

const program = fileURLToPath(new URL('phones-process.ts', import.meta.url));

export async function startPhones(): Promise<Phones> {
  const { call, stop } = startFarEnd(program);
  return {
    port: await call('listen'),
    reply: (phone, to, text) => call('reply', phone, to, text),
    answerIn: (ms) => call('answerIn', ms),
    has: (phone, text) => call('has', phone, text),
    count: () => call('count'),
    received: () => call('received'),
    stop,
  };
}
