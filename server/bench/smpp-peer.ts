// An SMSC that takes every text at once and sends its receipt, in a process of its own. It prints its port. Whatever it costs is
// taken from the carrier that is measured, so it reads only what it repeats, and writes all answers to a chunk at once.
import { createServer, type Socket } from 'node:net';
import { commands, isResponse, responseTo } from '../src/adapters/carriers/smpp/codec/pdu.ts';

const headerBytes = 16;
const beforeText = 'sub:001 dlvrd:001 submit date:2611160000 done date:2611160000 stat:DELIVRD err:000 text:';
/** After the addresses: a receipt by `esm_class`, and eight fields that are zero or empty. */
const receiptFields = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0]);
/** More than the answer and the receipt of any text take. */
const answerBytesMax = 512;

let ids = 0;

const server = createServer((socket) => {
  let held: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    const read = answer(socket, bytes);
    held = Buffer.from(bytes.subarray(read));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`));

/** Answers the requests that are there as a whole, and returns how many bytes that were. */
function answer(socket: Socket, bytes: Buffer): number {
  let out = Buffer.allocUnsafe(64 * 1024);
  let [at, end] = [0, 0];
  while (at + headerBytes <= bytes.length && at + bytes.readUInt32BE(at) <= bytes.length) {
    if (end + answerBytesMax > out.length) {
      socket.write(out.subarray(0, end));
      out = Buffer.allocUnsafe(64 * 1024);
      end = 0;
    }
    const command = bytes.readUInt32BE(at + 4);
    const sequence = bytes.readUInt32BE(at + 12);
    if (command === commands.submit_sm) end = take(bytes, at, out, end);
    else if (!isResponse(command))
      end = header(out, end, { command: responseTo(command), sequence, length: headerBytes });
    at += bytes.readUInt32BE(at);
  }
  if (end > 0) socket.write(out.subarray(0, end));
  return at;
}

/** The answer to a text, and its receipt right behind it. */
function take(bytes: Buffer, at: number, out: Buffer, from: number): number {
  const id = String(++ids);
  const sequence = bytes.readUInt32BE(at + 12);
  const length = headerBytes + id.length + 1;
  let end = header(out, from, { command: responseTo(commands.submit_sm), sequence, length });
  end += out.write(id, end, 'latin1');
  out[end++] = 0;
  const source = bytes.indexOf(0, at + headerBytes) + 1;
  const destination = bytes.indexOf(0, source + 2) + 1;
  const destinationEnd = bytes.indexOf(0, destination + 2) + 1;
  const begin = end;
  end += headerBytes;
  out[end++] = 0;
  end += bytes.copy(out, end, destination, destinationEnd);
  end += bytes.copy(out, end, source, destination);
  end += receiptFields.copy(out, end);
  const text = `id:${id} ${beforeText}`;
  out[end++] = text.length;
  end += out.write(text, end, 'latin1');
  header(out, begin, { command: commands.deliver_sm, sequence: ids, length: end - begin });
  return end;
}

function header(out: Buffer, at: number, of: { command: number; sequence: number; length: number }): number {
  out.writeUInt32BE(of.length, at);
  out.writeUInt32BE(of.command, at + 4);
  out.writeUInt32BE(0, at + 8);
  out.writeUInt32BE(of.sequence, at + 12);
  return at + headerBytes;
}
