import type { OutgoingText } from '../../../../domain/ports.ts';
import type { SmppSettings } from '../options.ts';
import { writeAddress } from './addresses.ts';
import { writeText } from './alphabets.ts';
import type { ShortMessage } from './bodies.ts';
import { int16, type OptionalParameters, tags } from './fields.ts';
import { noBody } from './pdu.ts';

const headerFollows = 0x40;

/** A text as the messages that carry it: one, or several that the phone joins by their common reference. */
export function partsOf(text: OutgoingText, joinedBy: number, settings: SmppSettings): ShortMessage[] {
  const { dataCoding, pieces, inPayload } = writeText(text.text, settings);
  const { serviceType, registeredDelivery } = settings;
  const common = {
    serviceType,
    source: writeAddress(text.from, settings.source, settings),
    destination: writeAddress(text.to, settings.destination, settings),
    registeredDelivery,
    dataCoding,
  };
  return pieces.map((octets, index) => {
    const part = { joinedBy, number: index + 1, of: pieces.length };
    const carried = inPayload ? payloadOf(octets) : carry(octets, part, settings.longTexts);
    return { ...common, ...carried, parameters: withReference(text, carried.parameters) };
  });
}

/** Our own reference, of which SMPP has room for 16 bits. A receipt may repeat it. */
function withReference({ reference }: OutgoingText, others: [number, Buffer][]): OptionalParameters {
  const parameters = new Map<number, Buffer>();
  if (reference !== undefined) parameters.set(tags.user_message_reference, int16(reference % 0x10000));
  for (const [tag, value] of others) parameters.set(tag, value);
  return parameters;
}

type Part = { joinedBy: number; number: number; of: number };
type CarriedPart = Pick<ShortMessage, 'esmClass' | 'octets'> & { parameters: [number, Buffer][] };

function payloadOf(octets: Buffer): CarriedPart {
  return { esmClass: 0, octets: noBody, parameters: [[tags.message_payload, octets]] };
}

function carry(octets: Buffer, part: Part, longTexts: SmppSettings['longTexts']): CarriedPart {
  if (part.of === 1) return { esmClass: 0, octets, parameters: [] };
  if (longTexts === 'sar') return { esmClass: 0, octets, parameters: sarOf(part) };
  const header = longTexts === 'udh16' ? header16(part) : header8(part);
  return { esmClass: headerFollows, octets: Buffer.concat([header, octets]), parameters: [] };
}

function sarOf({ joinedBy, number, of }: Part): [number, Buffer][] {
  return [
    [tags.sar_msg_ref_num, int16(joinedBy)],
    [tags.sar_total_segments, Buffer.of(of)],
    [tags.sar_segment_seqnum, Buffer.of(number)],
  ];
}

/** A user data header with one element, the concatenation (3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8). */
function header8({ joinedBy, number, of }: Part): Buffer {
  return Buffer.of(5, 0x00, 3, joinedBy & 0xff, of, number);
}

function header16({ joinedBy, number, of }: Part): Buffer {
  return Buffer.of(6, 0x08, 4, ...int16(joinedBy), of, number);
}
