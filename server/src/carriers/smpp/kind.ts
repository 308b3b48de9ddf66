import { Type } from 'typebox';
import type { CarrierKind } from '../../domain/ports.ts';
import type { SmppOptions } from './options.ts';
import { smppCarrier } from './smpp-carrier.ts';

/** The settings of an SMPP carrier, as operators give them: docs/operators/carriers.md explains each one. */

const closed = { additionalProperties: false };
/** What a field of SMPP has room for, without the zero at its end (SMPP 3.4, 4.1). */
const [systemIdMax, passwordMax, systemTypeMax, addressRangeMax, serviceTypeMax] = [15, 8, 12, 40, 5];
const dayMs = 24 * 60 * 60 * 1000;

const oneOf = <Word extends string>(...words: Word[]) => Type.Unsafe<Word>({ type: 'string', enum: words });
const ms = Type.Integer({ minimum: 1, maximum: dayMs });
const addressType = Type.Object(
  { ton: Type.Integer({ minimum: 0, maximum: 255 }), npi: Type.Integer({ minimum: 0, maximum: 255 }) },
  closed,
);

const tls = Type.Object(
  {
    ca: Type.Optional(Type.String({ minLength: 1 })),
    servername: Type.Optional(Type.String({ minLength: 1 })),
    key: Type.Optional(Type.String({ minLength: 1 })),
    cert: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);

const host = Type.Object(
  {
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    tls: Type.Optional(Type.Union([Type.Boolean(), tls])),
  },
  closed,
);

const timeNames = [
  'connectMs',
  'beginMs',
  'responseMs',
  'lateMs',
  'enquireMs',
  'enquireAnswerMs',
  'reconnectMs',
  'reconnectMsMax',
  'partHoldMs',
  'joinMs',
  'earlyMs',
  'stopMs',
] as const;

const schema = Type.Object(
  {
    hosts: Type.Array(host, { minItems: 1, maxItems: 20 }),
    systemId: Type.String({ minLength: 1, maxLength: systemIdMax }),
    password: Type.String({ maxLength: passwordMax }),
    systemType: Type.Optional(Type.String({ maxLength: systemTypeMax })),
    addressRange: Type.Optional(Type.String({ maxLength: addressRangeMax })),
    bindAs: Type.Optional(oneOf('transceiver', 'transmitter_and_receiver')),
    binds: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    window: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    perSecondMax: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
    source: Type.Optional(addressType),
    destination: Type.Optional(addressType),
    plusSign: Type.Optional(Type.Boolean()),
    callingCode: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,2}$' })),
    unknownType: Type.Optional(oneOf('international', 'national')),
    serviceType: Type.Optional(Type.String({ maxLength: serviceTypeMax })),
    defaultAlphabet: Type.Optional(oneOf('gsm7', 'latin1', 'ascii')),
    latin1: Type.Optional(Type.Boolean()),
    longTexts: Type.Optional(oneOf('udh8', 'udh16', 'sar', 'payload')),
    registeredDelivery: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    messageIds: Type.Optional(oneOf('auto', 'same', 'hex', 'decimal')),
    unmarkedReceipts: Type.Optional(Type.Boolean()),
    statuses: Type.Optional(
      Type.Unsafe<SmppOptions['statuses']>({
        type: 'object',
        propertyNames: { pattern: '^[0-9]{1,10}$' },
        additionalProperties: oneOf('unreachable', 'landline', 'opted_out', 'rejected', 'throttled', 'notTaken'),
      }),
    ),
    queryAfterMs: Type.Optional(ms),
    times: Type.Optional(Type.Object(Object.fromEntries(timeNames.map((name) => [name, Type.Optional(ms)])), closed)),
  },
  closed,
);

export const smppKind: CarrierKind = {
  schema,
  secrets: ['password', 'hosts.*.tls.key'],
  // The schema is the options without the name.
  open: (name, settings, { report }) => smppCarrier({ ...(settings as Omit<SmppOptions, 'name'>), name, report }),
};
