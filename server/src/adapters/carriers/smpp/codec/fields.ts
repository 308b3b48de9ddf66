import { PduFault } from './pdu.ts';

export type OptionalParameters = ReadonlyMap<number, Buffer>;

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

/** Reads the fields of a message's body: integers, strings that end with a zero octet, and optional parameters (TLVs). */
export class FieldReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  int8(): number {
    const value = this.#body[this.#at];
    if (value === undefined) throw new PduFault('a field is missing', invalidLength);
    this.#at += 1;
    return value;
  }

  /** Up to the zero octet, or to the end of the body: some SMSCs leave the last zero out. */
  text(): string {
    const zero = this.#body.indexOf(0, this.#at);
    const end = zero < 0 ? this.#body.length : zero;
    const value = this.#body.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return value;
  }

  octets(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#body.length) throw new PduFault('a field is longer than its PDU', invalidLength);
    const value = this.#body.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  /**
   * Every parameter that follows. Of two with one tag, the first counts. One that is broken hides itself and those behind it, but
   * not the text, which may be a STOP: it is a fault only while nothing has the text yet.
   */
  parameters(shortMessage: Buffer): OptionalParameters {
    const body = this.#body;
    const all = new Map<number, Buffer>();
    while (this.#at + 4 <= body.length) {
      const tag = body.readUInt16BE(this.#at);
      const end = this.#at + 4 + body.readUInt16BE(this.#at + 2);
      if (end > body.length) {
        if (shortMessage.length > 0 || all.has(tags.message_payload)) break;
        throw new PduFault('a parameter is longer than its PDU', invalidParameters);
      }
      if (!all.has(tag)) all.set(tag, body.subarray(this.#at + 4, end));
      this.#at = end;
    }
    return all;
  }
}

/** A parameter's number, whatever its width: peers don't agree on it. Null if it is missing or too wide. */
export function numberIn(parameters: OptionalParameters, tag: number): number | null {
  const value = parameters.get(tag);
  if (!value || value.length === 0 || value.length > 4) return null;
  return value.readUIntBE(0, value.length);
}

/** A parameter's text, without the zero octet that some peers add. */
export function textIn(parameters: OptionalParameters, tag: number): string | null {
  const value = parameters.get(tag);
  if (!value) return null;
  const zero = value.indexOf(0);
  return value.toString('latin1', 0, zero < 0 ? value.length : zero);
}

export function int16(value: number): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}
