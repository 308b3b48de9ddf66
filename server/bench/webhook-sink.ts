// An application's endpoints, in a process of their own: every path takes everything at once. It tells the process that forked
// it how many requests came, and ends with it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its messages: first its port, then how many requests it has had. */
export type SinkSays = { port: number; count: number };

const reportMs = 20;

let count = 0;
const server = createServer((request, reply) => {
  request.resume().on('end', () => {
    count += 1;
    reply.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const tell = () => process.send?.({ port, count } satisfies SinkSays);
  tell();
  setInterval(tell, reportMs);
});
process.once('disconnect', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
