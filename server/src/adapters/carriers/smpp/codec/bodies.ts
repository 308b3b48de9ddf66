import type { AddressType, SmppSettings } from '../options.ts';
import { FieldReader, int16, type OptionalParameters, tags } from './fields.ts';
import { commands, noBody, type Pdu } from './pdu.ts';

/** The bodies of the messages that we write and read. */

export type SmppAddress = AddressType & { digits: string };

export type ShortMessage = {
  serviceType: string;
  source: SmppAddress;
  destination: SmppAddress;
  esmClass: number;
  registeredDelivery: number;
  dataCoding: number;
  octets: Buffer;
  parameters: OptionalParameters;
};

const interfaceVersion = 0x34;

export function bindBody({ systemId, password, systemType, addressRange, source }: SmppSettings): Buffer {
  const version = octetsOf(interfaceVersion, source.ton, source.npi);
  return Buffer.from(`${systemId}\0${password}\0${systemType}\0${version}${addressRange}\0`, 'latin1');
}

export function submitBody(message: ShortMessage): Buffer {
  const { serviceType, source, destination, esmClass, registeredDelivery, dataCoding, octets, parameters } = message;
  // Protocol id and priority; no schedule, and the SMSC's own validity period; no replacement, and no predefined message.
  const rest = octetsOf(esmClass, 0, 0, 0, 0, registeredDelivery, 0, dataCoding, 0, octets.length);
  const parts = [Buffer.from(`${serviceType}\0${textOf(source)}${textOf(destination)}${rest}`, 'latin1'), octets];
  for (const [tag, value] of parameters) parts.push(int16(tag), int16(value.length), value);
  return Buffer.concat(parts);
}

/** Octets in a text of Latin-1, as fields are put together. */
function octetsOf(...octets: number[]): string {
  return String.fromCharCode(...octets);
}

function textOf({ ton, npi, digits }: SmppAddress): string {
  return `${octetsOf(ton, npi)}${digits}\0`;
}

/** The response to deliver_sm and data_sm begins with a message id, which isn't used. */
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
  return { ...addressed, esmClass, registeredDelivery, dataCoding, octets, parameters: reader.parameters(octets) };
}

function readData(reader: FieldReader): ShortMessage {
  const addressed = readAddressed(reader);
  const esmClass = reader.int8();
  const registeredDelivery = reader.int8();
  const dataCoding = reader.int8();
  return {
    ...addressed,
    esmClass,
    registeredDelivery,
    dataCoding,
    octets: noBody,
    parameters: reader.parameters(noBody),
  };
}

function readAddressed(reader: FieldReader): Pick<ShortMessage, 'serviceType' | 'source' | 'destination'> {
  const serviceType = reader.text();
  const address = () => ({ ton: reader.int8(), npi: reader.int8(), digits: reader.text() });
  return { serviceType, source: address(), destination: address() };
}

export function readBindResponse({ body }: Pdu): string {
  return new FieldReader(body).text();
}

/** Empty if the SMSC gave the text no id. */
export function readSubmitResponse({ body }: Pdu): string {
  return new FieldReader(body).text().trim();
}
