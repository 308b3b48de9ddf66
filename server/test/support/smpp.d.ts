/** The part of the `smpp` package that the tests use. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer, Socket } from 'node:net';

  export type Fields = Record<string, unknown>;
  export class PDU {
    constructor(command: string, fields?: Fields);
    static fromBuffer(bytes: Buffer): PDU | false;
    command: string;
    command_id: number;
    command_status: number;
    sequence_number: number;
    [field: string]: unknown;
    response(fields?: Fields): PDU;
    toBuffer(): Buffer;
  }
  export class Session extends EventEmitter {
    socket: Socket;
    send(pdu: PDU, answered?: (pdu: PDU) => void): boolean;
    deliver_sm(fields: Fields, answered?: (pdu: PDU) => void): boolean;
    data_sm(fields: Fields, answered?: (pdu: PDU) => void): boolean;
    close(): void;
    destroy(): void;
  }
  export function createServer(options: Fields, listener: (session: Session) => void): NetServer;
  export const encodings: Record<string, { encode(text: string): Buffer; decode(bytes: Buffer): string }>;
  const smpp: { PDU: typeof PDU; createServer: typeof createServer; encodings: typeof encodings };
  export default smpp;
}
