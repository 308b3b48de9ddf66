import type { Static, TProperties } from 'typebox';
import type { Refusal, UndeliveredReason } from '../../../domain/ports.ts';
import { Type } from '../../../schemas/shared/type.ts';

const { Optional } = Type;
const dayMs = 24 * 60 * 60 * 1000;
const flag = (description: string) => Optional(Type.Boolean({ default: false, description }));
const some = Type.String({ minLength: 1 });
const byte = Type.Integer({ minimum: 0, maximum: 255 });
const ms = (byDefault: number) => Optional(Type.Integer({ minimum: 1, maximum: dayMs, default: byDefault }));
const text = (maxLength: number, description: string) => Optional(Type.String({ maxLength, default: '', description }));
/** The first is the default. */
const oneOf = <const Word extends string>(description: string, ...words: Word[]) =>
  Optional(Type.Unsafe<Word>({ type: 'string', enum: words, default: words[0], description }));
/** What codes of such a form mean. */
const meanings = <Meaning extends string>(description: string, pattern: string, words: readonly Meaning[]) =>
  Optional(
    Type.Unsafe<Record<string, Meaning>>({
      type: 'object',
      description,
      propertyNames: { pattern },
      additionalProperties: { type: 'string', enum: words },
      default: {},
    }),
  );
const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** By default an international number. */
const addressType = Type.Object({ ton: byte, npi: byte }, { additionalProperties: false, default: { ton: 1, npi: 1 } });
export type AddressType = Static<typeof addressType>;

/** Certificates are always checked. `ca` replaces the public authorities; `key` and `cert` are our own. */
const tls = closed({ ca: Optional(some), servername: Optional(some), key: Optional(some), cert: Optional(some) });
const host = closed({
  host: some,
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tls: Optional(Type.Union([Type.Boolean(), tls])),
});
export type SmppHost = Static<typeof host>;

const statusMeanings = ['unreachable', 'landline', 'opted_out', 'rejected', 'throttled', 'notTaken'] as const;
export type StatusMeaning = Refusal | 'throttled' | 'notTaken';
const undeliveredReasons = ['unreachable', 'landline', 'opted_out', 'rejected', 'filtered', 'expired'] as const;

const times = closed({
  connectMs: ms(10_000),
  /** A part that couldn't be begun within this time isn't. It has to be shorter than CARRIER_TIMEOUT_MS. */
  beginMs: ms(5_000),
  /** After this the place in the window is free again. */
  responseMs: ms(10_000),
  /** How long a late answer still settles a text. */
  lateMs: ms(10 * 60_000),
  enquireMs: ms(30_000),
  enquireResponseMs: ms(10_000),
  /** The first pause before connecting again, and the longest. */
  reconnectMs: ms(500),
  reconnectMsMax: ms(60_000),
  /** How long a response to a part waits for the other parts. */
  partHoldMs: ms(1_000),
  /** When a text is handed on without its missing parts. */
  joinMs: ms(5 * 60_000),
  /** How long a receipt waits for the response that it overtook. */
  earlyMs: ms(2_000),
  /** How long stopping waits for responses. */
  stopMs: ms(2_000),
});
export type SmppTimes = Required<Static<typeof times>>;

/** How to reach an SMSC and what it expects, as operators give it: docs/operators/carriers.md explains each one. */
export const smppSchema = closed({
  /** Each bind starts at a host of its own and goes on to the next when one fails. */
  hosts: Type.Array(host, { minItems: 1, maxItems: 20, description: 'Servers' }),
  // The longest texts that SMPP's fields have room for, without the zero at their end (SMPP 3.4, 4.1).
  systemId: Type.String({ minLength: 1, maxLength: 15, description: 'System id' }),
  password: Type.String({ maxLength: 8, description: 'Password' }),
  systemType: text(12, 'System type'),
  /** The numbers whose texts come to this bind, as the SMSC writes them. Most want it empty. */
  addressRange: text(40, 'Address range; most want none'),
  bindAs: oneOf('Bind as', 'transceiver', 'transmitter_and_receiver'),
  binds: Optional(Type.Integer({ minimum: 1, maximum: 50, default: 1, description: 'Binds' })),
  /** How many texts wait for their response at once, on each bind. */
  window: Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 10,
      description: 'Texts that wait for their response, on each bind',
    }),
  ),
  /** The agreed rate for the whole account. Without it, the pace follows the SMSC's answers alone. */
  perSecondMax: Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description: 'Texts per second that the account allows' }),
  ),
  source: Optional({ ...addressType, description: 'Type of the sender’s address' }),
  destination: Optional({ ...addressType, description: 'Type of the recipient’s address' }),
  plusSign: flag('Addresses begin with a plus sign'),
  /** The calling code for numbers that arrive in national format. */
  callingCode: Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,2}$',
      default: '1',
      description: 'Calling code of numbers in national format',
    }),
  ),
  /** Numbers of unknown type are international unless the SMSC sends them in national format. */
  unknownType: oneOf('Numbers of unknown type are', 'international', 'national'),
  serviceType: text(5, 'Service type'),
  /** What `data_coding` 0 means to the SMSC, in both directions. */
  defaultAlphabet: oneOf('Default alphabet', 'gsm7', 'latin1', 'ascii'),
  /** Whether it takes `data_coding` 3, which has room for 140 Western characters. */
  latin1: flag('Takes Latin-1 (data_coding 3)'),
  longTexts: oneOf('Long texts', 'udh8', 'udh16', 'sar', 'payload'),
  registeredDelivery: Optional(
    Type.Integer({ minimum: 0, maximum: 255, default: 1, description: 'registered_delivery; 1 asks for receipts' }),
  ),
  /** `hex`: answers have hexadecimal ids, receipts decimal ones. `decimal`: the reverse. `auto` matches what it remembers. */
  messageIds: oneOf('Message ids in answers and receipts', 'auto', 'same', 'hex', 'decimal'),
  /** Whether a text that only looks like a receipt is one. People could then forge receipts. */
  unmarkedReceipts: flag('Receipts aren’t marked, so anybody could forge one'),
  statuses: meanings<StatusMeaning>('What the SMSC’s own error codes mean', '^[0-9]{1,10}$', statusMeanings),
  /** The network's own errors, as its receipts write them: `034`. */
  receiptErrors: meanings<UndeliveredReason>(
    'What error codes in receipts mean',
    '^[0-9A-Za-z]{1,10}$',
    undeliveredReasons,
  ),
  times: Optional({ ...times, description: 'Times' }),
});

/** What happened on a connection, for a log: no number and no text. */
export type SmppEvent = { connection: string; host: string } & (
  | { event: 'bound'; systemId: string }
  | { event: 'lost' | 'refused'; why: string; inDoubt: number; retryInMs: number }
  | { event: 'throttled'; perSecond: number }
);

/** The settings, and what the node adds to them. `now`: when a reply came, by the clock of consents: that of a sandbox can be ahead. */
export type SmppOptions = Static<typeof smppSchema> & {
  name: string;
  report?: (event: SmppEvent) => void;
  now?: () => Date;
};

/** Null: no rate was agreed. */
export type SmppSettings = Required<Omit<SmppOptions, 'perSecondMax' | 'times'>> & {
  perSecondMax: number | null;
  times: SmppTimes;
};

export function settingsOf(options: SmppOptions): SmppSettings {
  if (options.hosts.length === 0) throw new Error('An SMPP carrier needs a host.');
  const node = { perSecondMax: null, report: () => {}, now: () => new Date() };
  // Whatever can be left out has a default, in the schema or here.
  return {
    ...node,
    ...defaultsIn(smppSchema),
    ...options,
    times: { ...defaultsIn(times), ...options.times },
  } as SmppSettings;
}

function defaultsIn({ properties }: { properties: object }): object {
  const entries = Object.entries(properties).map(([name, schema]) => [name, schema.default]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
