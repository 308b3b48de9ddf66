import type { HttpCarrierEvent } from '../../../src/adapters/carriers/http/settings.ts';
import type { TelnyxSettings } from '../../../src/adapters/carriers/telnyx/settings.ts';
import { telnyxKind } from '../../../src/adapters/carriers/telnyx/telnyx-carrier.ts';
import type { TwilioSettings } from '../../../src/adapters/carriers/twilio/settings.ts';
import { twilioKind } from '../../../src/adapters/carriers/twilio/twilio-carrier.ts';
import type { Carrier, ReadCarrierCall, Submission } from '../../../src/domain/ports.ts';
import { accountSid, apiKey, authToken, type StandIn, type VendorName } from './stand-in.ts';

type Report = (event: HttpCarrierEvent) => void;
type Common = Pick<TwilioSettings, 'window' | 'beginMs' | 'responseMs' | 'lateMs' | 'perSecondMax'>;

/** What the table of promises needs to know of a vendor. */
export type Vendor = {
  name: VendorName;
  open(standIn: StandIn, given?: Common & { credential?: string; publicUrl?: string; report?: Report }): Carrier;
  reader(standIn: StandIn): ReadCarrierCall;
  /** Carriers whose address for lookups is wrong: nothing is there, or a web page. */
  wrongLookups(standIn: StandIn): Carrier[];
  /** Each error code with its HTTP status, and what becomes of the text. */
  errors: [code: string, status: number, becomes: Submission][];
  /** The vendor's words for what became of a text. */
  words: { underway: string[]; delivered: string; failed: string; code: string };
};

export const publicUrl = 'http://localhost:8080';

function surroundings(url = publicUrl, report: Report = () => {}) {
  return { publicUrl: url, environment: 'sandbox', outboundAllowedNetworks: [], report } as const;
}

const wrongPaths = ['/nowhere/', '/page/'];

export const vendors: Vendor[] = [
  {
    name: 'twilio',
    open(standIn, { credential, publicUrl, report, ...common } = {}) {
      return twilioKind.open(
        'main',
        { ...twilioSettings(standIn, credential), ...common },
        surroundings(publicUrl, report),
      );
    },
    reader: (standIn) => twilioKind.reader(twilioSettings(standIn)),
    wrongLookups: (standIn) =>
      wrongPaths.map((path) => {
        const settings = twilioSettings(standIn);
        return twilioKind.open('main', { ...settings, lookupsUrl: settings.apiUrl + path }, surroundings());
      }),
    errors: [
      ['21610', 400, { refused: 'opted_out' }],
      ['21211', 400, { refused: 'unreachable' }],
      ['21214', 400, { refused: 'unreachable' }],
      ['21217', 400, { refused: 'unreachable' }],
      ['21265', 400, { refused: 'unreachable' }],
      ['21268', 400, { refused: 'unreachable' }],
      ['21408', 400, { refused: 'unreachable' }],
      ['21612', 400, { refused: 'unreachable' }],
      ['21614', 400, { refused: 'landline' }],
      ['21635', 400, { refused: 'landline' }],
      ['21606', 400, { refused: 'rejected' }],
      ['21617', 400, { refused: 'rejected' }],
      ['21611', 429, { notTaken: '21611' }],
      ['21611', 400, { notTaken: '21611' }],
      ['10001', 401, { notTaken: '10001' }],
      ['20003', 401, { notTaken: '20003' }],
      ['20005', 403, { notTaken: '20005' }],
      ['20404', 404, { notTaken: '20404' }],
      ['20429', 429, { notTaken: '20429' }],
    ],
    words: { underway: ['queued', 'sent'], delivered: 'delivered', failed: 'undelivered', code: '30003' },
  },
  {
    name: 'telnyx',
    open(standIn, { credential, publicUrl, report, ...common } = {}) {
      return telnyxKind.open(
        'main',
        { ...telnyxSettings(standIn, credential), ...common },
        surroundings(publicUrl, report),
      );
    },
    reader: (standIn) => telnyxKind.reader(telnyxSettings(standIn)),
    wrongLookups: (standIn) =>
      wrongPaths.map((path) => {
        const settings = telnyxSettings(standIn);
        return telnyxKind.open('main', { ...settings, apiUrl: settings.apiUrl + path }, surroundings());
      }),
    errors: [
      ['40300', 400, { refused: 'opted_out' }],
      ['10002', 422, { refused: 'unreachable' }],
      ['10016', 422, { refused: 'unreachable' }],
      ['40001', 400, { refused: 'unreachable' }],
      ['40012', 400, { refused: 'unreachable' }],
      ['40309', 400, { refused: 'unreachable' }],
      ['40310', 400, { refused: 'unreachable' }],
      ['40319', 400, { refused: 'unreachable' }],
      ['40305', 400, { refused: 'rejected' }],
      ['10015', 400, { refused: 'rejected' }],
      ['40318', 429, { notTaken: '40318' }],
      ['40320', 400, { notTaken: '40320' }],
      ['10009', 401, { notTaken: '10009' }],
      ['10010', 403, { notTaken: '10010' }],
      ['20100', 403, { notTaken: '20100' }],
      ['40312', 403, { notTaken: '40312' }],
      ['10011', 429, { notTaken: '10011' }],
    ],
    words: { underway: ['queued', 'sent'], delivered: 'delivered', failed: 'delivery_failed', code: '40008' },
  },
];

export function twilioSettings({ port }: StandIn, credential = authToken): TwilioSettings {
  const base = `http://127.0.0.1:${port}`;
  return { accountSid, authToken: credential, apiUrl: base, lookupsUrl: `${base}/lookups` };
}

export function telnyxSettings({ port, publicKey }: StandIn, credential = apiKey): TelnyxSettings {
  return { apiKey: credential, publicKey, apiUrl: `http://127.0.0.1:${port}/telnyx/v2` };
}
