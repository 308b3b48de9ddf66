// An SMSC that takes every text at once and sends its receipt, in a process of its own. It prints its port.
import { createServer } from 'node:net';
import { fieldReader, fieldWriter } from '../src/carriers/smpp/codec/fields.ts';
import {
  commands,
  isResponse,
  noBody,
  type Pdu,
  pduBytes,
  pduReader,
  responseTo,
} from '../src/carriers/smpp/codec/pdu.ts';

let ids = 0;

const server = createServer((socket) => {
  const read = pduReader();
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    socket.cork();
    for (const pdu of read(chunk))
      if (!isResponse(pdu.command)) for (const each of answersTo(pdu)) socket.write(pduBytes(each));
    socket.uncork();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`));

function answersTo({ command, sequence, body }: Pdu): Pdu[] {
  const answer = { command: responseTo(command), status: 0, sequence };
  if (command !== commands.submit_sm) return [{ ...answer, body: noBody }];
  const id = String(++ids);
  const receipt = { command: commands.deliver_sm, status: 0, sequence: ids, body: receiptOf(body, id) };
  return [{ ...answer, body: fieldWriter().text(id).bytes() }, receipt];
}

function receiptOf(submitted: Buffer, id: string): Buffer {
  const reader = fieldReader(submitted);
  reader.text();
  const [source, destination] = [0, 1].map(() => ({ ton: reader.int8(), npi: reader.int8(), digits: reader.text() }));
  const text = Buffer.from(
    `id:${id} sub:001 dlvrd:001 submit date:2611160000 done date:2611160000 stat:DELIVRD err:000 text:`,
  );
  const writer = fieldWriter().text('');
  for (const each of [destination, source])
    writer
      .int8(1)
      .int8(1)
      .text(each?.digits ?? '');
  writer.int8(4).int8(0).int8(0).text('').text('').int8(0).int8(0).int8(0).int8(0);
  return writer.int8(text.length).octets(text).bytes();
}
