import { PduFault } from './pdu.ts';

/** The fields of a message's body: integers, strings that end with a zero octet, and optional parameters (TLVs). */
export type FieldReader = {
  int8(): number;
  /** Up to the zero octet, or to the end of the body: some SMSCs leave the last zero out. */
  text(): string;
  octets(count: number): Buffer;
  /** Every parameter that follows. Of two with one tag, the first counts. */
  parameters(): Parameters;
};

export type Parameters = ReadonlyMap<number, Buffer>;

/** The optional parameters that we read or write (SMPP 3.4, 5.3.2). */
export const tags = {
  receipted_message_id: 0x001e,
  user_message_reference: 0x0204,
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  message_state: 0x0427,
} as const;

const invalidParameters = 0xc0;
const invalidLength = 0x02;

export function fieldReader(body: Buffer): FieldReader {
  let at = 0;
  return {
    int8() {
      const value = body[at];
      if (value === undefined) throw new PduFault('a field is missing', invalidLength);
      at += 1;
      return value;
    },
    text() {
      const zero = body.indexOf(0, at);
      const end = zero < 0 ? body.length : zero;
      const value = body.toString('latin1', at, end);
      at = end + 1;
      return value;
    },
    octets(count) {
      if (at + count > body.length) throw new PduFault('a field is longer than its PDU', invalidLength);
      const value = body.subarray(at, at + count);
      at += count;
      return value;
    },
    parameters() {
      const all = new Map<number, Buffer>();
      while (at + 4 <= body.length) {
        const tag = body.readUInt16BE(at);
        const end = at + 4 + body.readUInt16BE(at + 2);
        if (end > body.length) throw new PduFault('a parameter is longer than its PDU', invalidParameters);
        if (!all.has(tag)) all.set(tag, body.subarray(at + 4, end));
        at = end;
      }
      return all;
    },
  };
}

/** A parameter's number, whatever its width: peers don't agree on it. Null if it is missing or too wide. */
export function numberIn(parameters: Parameters, tag: number): number | null {
  const value = parameters.get(tag);
  if (!value || value.length === 0 || value.length > 4) return null;
  return value.readUIntBE(0, value.length);
}

/** A parameter's text, without the zero octet that some peers add. */
export function textIn(parameters: Parameters, tag: number): string | null {
  const value = parameters.get(tag);
  if (!value) return null;
  const zero = value.indexOf(0);
  return value.toString('latin1', 0, zero < 0 ? value.length : zero);
}

export type FieldWriter = {
  int8(value: number): FieldWriter;
  text(value: string): FieldWriter;
  octets(value: Buffer): FieldWriter;
  parameter(tag: number, value: Buffer): FieldWriter;
  bytes(): Buffer;
};

const startBytes = 512;

export function fieldWriter(): FieldWriter {
  let bytes = Buffer.allocUnsafe(startBytes);
  let at = 0;
  const ensure = (count: number) => {
    if (at + count <= bytes.length) return;
    bytes = Buffer.concat([bytes.subarray(0, at)], Math.max(bytes.length * 2, at + count));
  };
  const writer: FieldWriter = {
    int8(value) {
      ensure(1);
      bytes[at++] = value;
      return writer;
    },
    text(value) {
      ensure(value.length + 1);
      at += bytes.write(value, at, 'latin1');
      bytes[at++] = 0;
      return writer;
    },
    octets(value) {
      ensure(value.length);
      at += value.copy(bytes, at);
      return writer;
    },
    parameter(tag, value) {
      ensure(value.length + 4);
      bytes.writeUInt16BE(tag, at);
      bytes.writeUInt16BE(value.length, at + 2);
      at += 4 + value.copy(bytes, at + 4);
      return writer;
    },
    bytes: () => bytes.subarray(0, at),
  };
  return writer;
}

export function int16(value: number): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}
