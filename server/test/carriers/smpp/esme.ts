import type { SmppOptions, SmppTimes } from '../../../src/adapters/carriers/smpp/options.ts';
import { smppCarrier } from '../../../src/adapters/carriers/smpp/smpp-carrier.ts';
import type { Carrier, IncomingReply, OutgoingText, Receipt, Submission } from '../../../src/domain/ports.ts';
import { until } from '../../support/waiting.ts';

export const ours = '+15005552000';
export const person = '+12125550123';

/** Our end of the line, and what it handed on to the domain. */
export type Esme = {
  carrier: Carrier;
  replies: IncomingReply[];
  receipts: Receipt[];
  /** The ids of everything that was handed on, taken or not. */
  offered: string[];
  /** If set, the domain fails with `fault`, and takes nothing before `until`; so many wait for that. */
  domain: { fault: Error | null; until: Promise<void> | null; waiting: number };
  submit(text: Partial<OutgoingText>): Promise<Submission>;
  status(): ReturnType<NonNullable<Carrier['status']>>;
  bound(count?: number): Promise<void>;
  stop(): Promise<void>;
};

const quick: Partial<SmppTimes> = {
  reconnectMs: 20,
  reconnectMsMax: 100,
  partHoldMs: 100,
  earlyMs: 500,
  stopMs: 300,
  beginMs: 1_000,
};

/** Connects to SMSCs on this machine, with short times. */
export function startEsme(ports: number | number[], { times, ...options }: Partial<SmppOptions> = {}): Esme {
  const replies: IncomingReply[] = [];
  const receipts: Receipt[] = [];
  const offered: string[] = [];
  const domain: Esme['domain'] = { fault: null, until: null, waiting: 0 };
  const carrier = smppCarrier({
    name: 'test',
    hosts: [ports].flat().map((port) => ({ host: '127.0.0.1', port })),
    systemId: 'assent',
    password: 'secret',
    ...options,
    times: { ...quick, ...times },
  });
  const take =
    <Item extends { carrierMessageId: string }>(items: Item[]) =>
    async (item: Item) => {
      offered.push(item.carrierMessageId);
      domain.waiting += 1;
      await domain.until;
      domain.waiting -= 1;
      if (domain.fault) throw domain.fault;
      items.push(item);
    };
  const stop = carrier.listen({ reply: take(replies), receipt: take(receipts) });
  const status = () => {
    if (!carrier.status) throw new Error('It has no status.');
    return carrier.status();
  };
  return {
    carrier,
    replies,
    receipts,
    offered,
    domain,
    submit: (text) => carrier.submit({ from: ours, to: person, text: 'Hello', kind: 'text', ...text }),
    status,
    bound: (count = 1) =>
      until('it is bound', () => status().connections.filter(({ state }) => state === 'bound').length >= count),
    stop,
  };
}
