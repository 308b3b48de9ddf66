import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { PDU } from 'smpp';

/** An SMSC that does what no SMSC should: a test writes its bytes. Binds are answered; the rest is up to `receive`. */
export type RawSmsc = {
  port: number;
  /** Every connection so far, and what came on it, read by the `smpp` package. */
  connections: { socket: Socket; pdus: PDU[] }[];
  stop(): Promise<void>;
};

export type ReceiveRaw = (pdu: PDU, socket: Socket, connection: number) => void;

export async function startRawSmsc(receive: ReceiveRaw): Promise<RawSmsc> {
  const connections: RawSmsc['connections'] = [];
  const server = createServer((socket) => {
    const pdus: PDU[] = [];
    const index = connections.push({ socket, pdus }) - 1;
    let held = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 4 && held.length >= held.readUInt32BE(0)) {
        const length = held.readUInt32BE(0);
        const pdu = PDU.fromBuffer(held.subarray(0, length));
        held = held.subarray(length);
        if (!pdu) continue;
        pdus.push(pdu);
        if (pdu.command.startsWith('bind_')) socket.write(pdu.response({ system_id: 'raw' }).toBuffer());
        else receive(pdu, socket, index);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    connections,
    async stop() {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A message with any header and body. */
export function rawPdu({
  length,
  command,
  status = 0,
  sequence = 1,
  body = Buffer.alloc(0),
}: {
  length?: number;
  command: number;
  status?: number;
  sequence?: number;
  body?: Buffer;
}): Buffer {
  const head = Buffer.alloc(16);
  for (const [index, value] of [length ?? 16 + body.length, command, status, sequence].entries())
    head.writeUInt32BE(value, index * 4);
  return Buffer.concat([head, body]);
}
