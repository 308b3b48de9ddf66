import type { Refusal } from '../../../domain/ports.ts';
import type { SmppEvent } from './binds/events.ts';

/** How to reach an SMSC and what it expects. docs/operators/carriers.md explains each one. */
export type SmppOptions = {
  name: string;
  /** Each bind starts at a host of its own and goes on to the next when one fails. */
  hosts: SmppHost[];
  systemId: string;
  password: string;
  systemType?: string;
  /** The numbers whose texts come to this bind, as the SMSC writes them. Most want it empty. */
  addressRange?: string;
  bindAs?: 'transceiver' | 'transmitter_and_receiver';
  binds?: number;
  /** How many texts wait for their answer at once, on each bind. */
  window?: number;
  /** The agreed rate for the whole account. Without it, the pace follows the SMSC's answers alone. */
  perSecondMax?: number | null;
  source?: AddressType;
  destination?: AddressType;
  /** Whether addresses are written with their plus sign. */
  plusSign?: boolean;
  /** The calling code for numbers that arrive in national format. */
  callingCode?: string;
  /** Numbers of unknown type are international unless the SMSC sends them in national format. */
  unknownType?: 'international' | 'national';
  serviceType?: string;
  /** What `data_coding` 0 means to the SMSC, in both directions. */
  defaultAlphabet?: 'gsm7' | 'latin1' | 'ascii';
  /** Whether it takes `data_coding` 3, which has room for 140 Western characters. */
  latin1?: boolean;
  longTexts?: 'udh8' | 'udh16' | 'sar' | 'payload';
  registeredDelivery?: number;
  /** `hex`: answers have hexadecimal ids, receipts decimal ones. `decimal`: the reverse. `auto` matches what it remembers. */
  messageIds?: 'auto' | 'same' | 'hex' | 'decimal';
  /** Whether a text that only looks like a receipt is one. People could then forge receipts. */
  unmarkedReceipts?: boolean;
  /** What the SMSC's own error codes mean. */
  statuses?: Record<number, StatusMeaning>;
  /** Asks about a text that has no receipt after so long; null never asks. */
  queryAfterMs?: number | null;
  times?: Partial<SmppTimes>;
  report?: (event: SmppEvent) => void;
  /** When a reply came, by the clock of consents: that of a sandbox can be ahead. */
  now?: () => Date;
};

export type SmppHost = { host: string; port: number; tls?: SmppTls | boolean };
/** Certificates are always checked. `ca` replaces the public authorities; `key` and `cert` are our own. */
export type SmppTls = { ca?: string; servername?: string; key?: string; cert?: string };
export type AddressType = { ton: number; npi: number };

export type StatusMeaning = Refusal | 'throttled' | 'notTaken';

export type SmppTimes = {
  connectMs: number;
  /** A part that couldn't be begun within this time isn't. It has to be shorter than CARRIER_TIMEOUT_MS. */
  beginMs: number;
  /** After this the place in the window is free again. */
  responseMs: number;
  /** How long a late answer still settles a text. */
  lateMs: number;
  enquireMs: number;
  enquireAnswerMs: number;
  /** The first pause before connecting again, and the longest. */
  reconnectMs: number;
  reconnectMsMax: number;
  /** How long an answer to a part waits for the other parts. */
  partHoldMs: number;
  /** When a text is handed on without its missing parts. */
  joinMs: number;
  /** How long a receipt waits for the answer that it overtook. */
  earlyMs: number;
  /** How long stopping waits for answers. */
  stopMs: number;
};

export type SmppSettings = Required<Omit<SmppOptions, 'times'>> & { times: SmppTimes };

const defaultTimes: SmppTimes = {
  connectMs: 10_000,
  beginMs: 5_000,
  responseMs: 10_000,
  lateMs: 10 * 60_000,
  enquireMs: 30_000,
  enquireAnswerMs: 10_000,
  reconnectMs: 500,
  reconnectMsMax: 60_000,
  partHoldMs: 1_000,
  joinMs: 5 * 60_000,
  earlyMs: 2_000,
  stopMs: 2_000,
};

const international: AddressType = { ton: 1, npi: 1 };

export function settingsOf(options: SmppOptions): SmppSettings {
  if (options.hosts.length === 0) throw new Error('An SMPP carrier needs a host.');
  return {
    systemType: '',
    addressRange: '',
    bindAs: 'transceiver',
    binds: 1,
    window: 10,
    perSecondMax: null,
    source: international,
    destination: international,
    plusSign: false,
    callingCode: '1',
    unknownType: 'international',
    serviceType: '',
    defaultAlphabet: 'gsm7',
    latin1: false,
    longTexts: 'udh8',
    registeredDelivery: 1,
    messageIds: 'auto',
    unmarkedReceipts: false,
    statuses: {},
    queryAfterMs: null,
    report: () => {},
    now: () => new Date(),
    ...options,
    times: { ...defaultTimes, ...options.times },
  };
}
