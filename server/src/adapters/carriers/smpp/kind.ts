import type { CarrierKind } from '../../../domain/ports.ts';
import type { SmppOptions } from './options.ts';
import { smppCarrier } from './smpp-carrier.ts';

/** The settings of an SMPP carrier, as operators give them: docs/operators/carriers.md explains each one. */

/** What a field of SMPP has room for, without the zero at its end (SMPP 3.4, 4.1). */
const [systemIdMax, passwordMax, systemTypeMax, addressRangeMax, serviceTypeMax] = [15, 8, 12, 40, 5];
const dayMs = 24 * 60 * 60 * 1000;

const oneOf = (...words: string[]) => ({ type: 'string', enum: words });
const text = (maxLength: number) => ({ type: 'string', maxLength });
const some = { type: 'string', minLength: 1 };
const flag = { type: 'boolean' };
const ms = { type: 'integer', minimum: 1, maximum: dayMs };
const byte = { type: 'integer', minimum: 0, maximum: 255 };
const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const addressType = closed({ ton: byte, npi: byte }, ['ton', 'npi']);
const tls = closed({ ca: some, servername: some, key: some, cert: some });
const host = closed(
  { host: some, port: { type: 'integer', minimum: 1, maximum: 65_535 }, tls: { anyOf: [flag, tls] } },
  ['host', 'port'],
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
];

const schema = closed(
  {
    hosts: { type: 'array', items: host, minItems: 1, maxItems: 20 },
    systemId: { ...some, maxLength: systemIdMax },
    password: text(passwordMax),
    systemType: text(systemTypeMax),
    addressRange: text(addressRangeMax),
    bindAs: oneOf('transceiver', 'transmitter_and_receiver'),
    binds: { type: 'integer', minimum: 1, maximum: 50 },
    window: { type: 'integer', minimum: 1, maximum: 1_000 },
    perSecondMax: { type: 'number', exclusiveMinimum: 0, maximum: 10_000 },
    source: addressType,
    destination: addressType,
    plusSign: flag,
    callingCode: { type: 'string', pattern: '^[1-9][0-9]{0,2}$' },
    unknownType: oneOf('international', 'national'),
    serviceType: text(serviceTypeMax),
    defaultAlphabet: oneOf('gsm7', 'latin1', 'ascii'),
    latin1: flag,
    longTexts: oneOf('udh8', 'udh16', 'sar', 'payload'),
    registeredDelivery: byte,
    messageIds: oneOf('auto', 'same', 'hex', 'decimal'),
    unmarkedReceipts: flag,
    statuses: {
      type: 'object',
      propertyNames: { pattern: '^[0-9]{1,10}$' },
      additionalProperties: oneOf('unreachable', 'landline', 'opted_out', 'rejected', 'throttled', 'notTaken'),
    },
    queryAfterMs: ms,
    times: closed(Object.fromEntries(timeNames.map((name) => [name, ms]))),
  },
  ['hosts', 'systemId', 'password'],
);

export const smppKind: CarrierKind = {
  schema,
  secrets: ['password', 'hosts.*.tls.key'],
  // The schema is the options without the name.
  open: (name, settings, { report, clock }) =>
    smppCarrier({ ...(settings as Omit<SmppOptions, 'name'>), name, report, now: () => clock.now() }),
};
