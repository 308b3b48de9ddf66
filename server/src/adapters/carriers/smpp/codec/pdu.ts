/** The header of every SMPP message (SMPP 3.4, 3.2), and how messages are found in a stream of bytes. */
export type Pdu = { command: number; status: number; sequence: number; body: Buffer };

export const commands = {
  generic_nack: 0x80000000,
  bind_receiver: 0x00000001,
  bind_transmitter: 0x00000002,
  submit_sm: 0x00000004,
  deliver_sm: 0x00000005,
  unbind: 0x00000006,
  bind_transceiver: 0x00000009,
  outbind: 0x0000000b,
  enquire_link: 0x00000015,
  alert_notification: 0x00000102,
  data_sm: 0x00000103,
} as const;

const responseBit = 0x80000000;
const headerBytes = 16;
/** A `message_payload` has at most 65,535 octets; the fields around it are short. */
const pduBytesMax = 70_000;

export const noBody = Buffer.alloc(0);

export function responseTo(command: number): number {
  return (command | responseBit) >>> 0;
}

export function isResponse(command: number): boolean {
  return (command & responseBit) !== 0;
}

/** The peer sent something that can't be read; `status` is the error to answer with. */
export class PduFault extends Error {
  status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const invalidLength = 0x02;

export function pduBytes({ command, status, sequence, body }: Pdu): Buffer {
  const bytes = Buffer.alloc(headerBytes + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(command, 4);
  bytes.writeUInt32BE(status, 8);
  bytes.writeUInt32BE(sequence, 12);
  bytes.set(body, headerBytes);
  return bytes;
}

/**
 * Takes bytes as they arrive and returns the messages that are complete. It keeps at most one incomplete message, whose
 * length it checks first. A wrong length is the end: nobody can tell where the next message begins.
 */
export function pduReader(): (chunk: Buffer) => Pdu[] {
  let held = noBody;
  return (chunk) => {
    const bytes = Buffer.concat([held, chunk]);
    const pdus: Pdu[] = [];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const length = lengthAt(bytes, at);
      if (at + length > bytes.length) break;
      pdus.push(pduAt(bytes, at, length));
      at += length;
    }
    held = bytes.subarray(at);
    return pdus;
  };
}

function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at);
  if (length < headerBytes || length > pduBytesMax) throw new PduFault(`a PDU of ${length} bytes`, invalidLength);
  return length;
}

function pduAt(bytes: Buffer, at: number, length: number): Pdu {
  return {
    command: bytes.readUInt32BE(at + 4),
    status: bytes.readUInt32BE(at + 8),
    sequence: bytes.readUInt32BE(at + 12),
    body: bytes.subarray(at + headerBytes, at + length),
  };
}
