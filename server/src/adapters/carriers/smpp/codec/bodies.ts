import type { AddressType, SmppSettings } from '../options.ts';
import { FieldReader, FieldWriter, type Parameters, tags } from './fields.ts';
import { commands, noBody, type Pdu } from './pdu.ts';

/** The bodies of the messages that we write and read. */

export type Address = AddressType & { digits: string };

export type ShortMessage = {
  serviceType: string;
  source: Address;
  destination: Address;
  esmClass: number;
  registeredDelivery: number;
  dataCoding: number;
  octets: Buffer;
  parameters: Parameters;
};

const interfaceVersion = 0x34;
/** More than the texts of a bind or a query take: the longest has 65 octets. */
const shortBodyOctetsMax = 512;
/** The fields of submit_sm that have one octet, and the zeros that end texts. */
const submitFieldOctets = 17;

export function bindBody({ systemId, password, systemType, addressRange, source }: SmppSettings): Buffer {
  return new FieldWriter(shortBodyOctetsMax)
    .text(systemId)
    .text(password)
    .text(systemType)
    .int8(interfaceVersion)
    .int8(source.ton)
    .int8(source.npi)
    .text(addressRange)
    .bytes();
}

export function submitBody(message: ShortMessage): Buffer {
  const { serviceType, source, destination, octets, parameters } = message;
  let size = submitFieldOctets + serviceType.length + source.digits.length + destination.digits.length + octets.length;
  for (const value of parameters.values()) size += 4 + value.length;
  const writer = new FieldWriter(size)
    .text(serviceType)
    .int8(source.ton)
    .int8(source.npi)
    .text(source.digits)
    .int8(destination.ton)
    .int8(destination.npi)
    .text(destination.digits);
  // Protocol id and priority; no schedule, and the SMSC's own validity period.
  writer.int8(message.esmClass).int8(0).int8(0).int8(0).int8(0);
  // No replacement, and no predefined message.
  writer.int8(message.registeredDelivery).int8(0).int8(message.dataCoding).int8(0);
  writer.int8(octets.length).octets(octets);
  for (const [tag, value] of parameters) writer.parameter(tag, value);
  return writer.bytes();
}

export function queryBody(messageId: string, { ton, npi, digits }: Address): Buffer {
  return new FieldWriter(shortBodyOctetsMax).text(messageId).int8(ton).int8(npi).text(digits).bytes();
}

/** The answer to deliver_sm and data_sm begins with a message id, which isn't used. */
export const takenBody = Buffer.of(0);

/** A text or receipt. What is in `message_payload` counts as if it were the short message. */
export function readMessage({ command, body }: Pdu): ShortMessage {
  const reader = new FieldReader(body);
  const message = command === commands.data_sm ? readData(reader) : readDeliver(reader);
  const payload = message.parameters.get(tags.message_payload);
  return payload && message.octets.length === 0 ? { ...message, octets: payload } : message;
}

function readDeliver(reader: FieldReader): ShortMessage {
  const addressed = readAddressed(reader);
  const esmClass = reader.int8();
  reader.int8();
  reader.int8();
  reader.text();
  reader.text();
  const registeredDelivery = reader.int8();
  reader.int8();
  const dataCoding = reader.int8();
  reader.int8();
  const octets = reader.octets(reader.int8());
  const { serviceType, source, destination } = addressed;
  const parameters = reader.parameters();
  return { serviceType, source, destination, esmClass, registeredDelivery, dataCoding, octets, parameters };
}

function readData(reader: FieldReader): ShortMessage {
  const addressed = readAddressed(reader);
  const esmClass = reader.int8();
  const registeredDelivery = reader.int8();
  const dataCoding = reader.int8();
  return { ...addressed, esmClass, registeredDelivery, dataCoding, octets: noBody, parameters: reader.parameters() };
}

function readAddressed(reader: FieldReader): Pick<ShortMessage, 'serviceType' | 'source' | 'destination'> {
  const serviceType = reader.text();
  const address = () => ({ ton: reader.int8(), npi: reader.int8(), digits: reader.text() });
  return { serviceType, source: address(), destination: address() };
}

export function readBindAnswer({ body }: Pdu): string {
  return new FieldReader(body).text();
}

/** Empty if the SMSC gave the text no id. */
export function readSubmitAnswer({ body }: Pdu): string {
  return new FieldReader(body).text().trim();
}

export function readQueryAnswer({ body }: Pdu): { state: number; errorCode: number } {
  const reader = new FieldReader(body);
  reader.text();
  reader.text();
  return { state: reader.int8(), errorCode: reader.int8() };
}
