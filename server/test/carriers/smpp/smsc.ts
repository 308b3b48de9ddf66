import { fileURLToPath } from 'node:url';
import { startFarEnd } from '../../support/far-ends.ts';

/** What the SMSC does with a text: the first rule for its number that has times left. */
export type Rule = {
  to?: string;
  times?: number;
  /** Only for one in so many texts. */
  every?: number;
  status?: number;
  messageId?: string;
  pauseMs?: number;
  silent?: boolean;
  drop?: boolean;
  /** The id, or the whole text, of the receipt that follows. */
  receipt?: string;
  receiptFirst?: boolean;
};
/** `status` is that of the answer, given or meant. */
export type SubmittedText = { fields: Record<string, unknown>; text: string; header: string[]; status: number };

export type Smsc = {
  port: number;
  behave(...rules: Rule[]): Promise<void>;
  refuseBinds(...statuses: number[]): Promise<void>;
  submitted(): Promise<SubmittedText[]>;
  binds(): Promise<string[]>;
  /** Delivers a text or receipt, and returns the status of the answer. Octets are {hex}. */
  deliver(fields: Record<string, unknown>, command?: 'deliver_sm' | 'data_sm'): Promise<number>;
  drop(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

const program = fileURLToPath(new URL('smsc-process.ts', import.meta.url));

/**
 * With a journal, it writes down what it takes before it answers, so that nothing is forgotten when it is killed, and confirms all of
 * it with receipts that repeat our reference.
 */
export async function startSmsc({
  tls = {},
  port = 0,
  journal,
}: {
  tls?: object;
  port?: number;
  journal?: string;
} = {}): Promise<Smsc> {
  const { call, stop } = startFarEnd(program);
  return {
    port: await call('listen', tls, port, journal),
    behave: (...rules) => call('behave', rules),
    refuseBinds: (...statuses) => call('refuseBinds', statuses),
    submitted: () => call('submitted'),
    binds: () => call('binds'),
    deliver: (fields, command = 'deliver_sm') => call('deliver', fields, command),
    drop: () => call('drop'),
    stop,
  };
}
