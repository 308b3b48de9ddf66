import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { commands, noBody, type Pdu, PduFault, pduBytes, pduReader } from '../codec/pdu.ts';
import type { SmppHost } from '../options.ts';

type WireEvents = { opened(): void; received(pdu: Pdu): void; drained(): void; closed(why: string): void };

/** Beyond this, no more texts are written until the peer has read. */
const writtenBytesMax = 64 * 1024;
/** A peer that asks on and on without reading our responses is disconnected. */
const unreadBytesMax = 1024 * 1024;

/** How long a closing connection may still send what was written. */
const lingerMs = 1_000;

/** A connection that carries messages. It ends once, with the reason. */
export function openWire(host: SmppHost, connectMs: number, events: WireEvents) {
  const socket = connect(host);
  const read = pduReader();
  let closed = false;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const timer = setTimeout(close, connectMs, `no connection within ${connectMs} ms`);

  function close(why: string): void {
    if (closed) return;
    flush();
    closed = true;
    clearTimeout(timer);
    // Whatever was written still goes out if the peer reads it; the reason for closing may be in it.
    socket.destroySoon();
    setTimeout(() => socket.destroy(), lingerMs).unref();
    events.closed(why);
  }

  function receive(chunk: Buffer): void {
    if (closed) return;
    try {
      for (const pdu of read(chunk)) if (!closed) events.received(pdu);
    } catch (error) {
      if (!(error instanceof PduFault)) throw error;
      write({ command: commands.generic_nack, status: error.status, sequence: 0, body: noBody });
      close(`the peer sent ${error.message}`);
    }
  }

  function write(pdu: Pdu): void {
    if (closed) return;
    if (socket.writableLength + waitingBytes > unreadBytesMax) {
      close('the peer reads nothing');
      return;
    }
    if (waiting.length === 0) setImmediate(flush);
    const bytes = pduBytes(pdu);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  }

  /** Messages of one turn of the event loop are one write: corking would take 12 µs more for a text. */
  function flush(): void {
    if (waiting.length === 0 || closed) return;
    socket.write(Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  }

  socket.setNoDelay(true);
  socket.once(host.tls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    if (!closed) events.opened();
  });
  socket.on('data', receive);
  socket.on('drain', events.drained);
  socket.on('error', (error: NodeJS.ErrnoException) => close(error.code ?? error.message));
  socket.on('end', () => close('the peer closed the connection'));
  socket.on('close', () => close('the connection was closed'));
  /** False while the peer doesn't read what was written. */
  const isFree = () => !closed && socket.writableLength + waitingBytes < writtenBytesMax;
  return { write, isFree, close };
}

function connect({ host, port, tls }: SmppHost): Socket {
  if (!tls) return connectPlain({ host, port });
  // A server's name is never an address (RFC 6066, 3).
  return connectTls({ host, port, servername: isIP(host) ? '' : host, ...(tls === true ? {} : tls) });
}
