import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type ReceivedWebhook = {
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows its events’ shape.
  body: any;
};

export type Receiver = {
  url: string;
  /** Everything that was accepted, in order of arrival. */
  accepted: ReceivedWebhook[];
  /** Everything that came, whatever it was answered. */
  came: ReceivedWebhook[];
  /** Decides about each request. The default takes everything. */
  answer: (received: ReceivedWebhook) => Promise<number> | number;
  /** The body of a good answer. */
  thanks: string;
  close(): Promise<void>;
};

/**
 * An endpoint that verifies with the published library, as a partner would, and refuses what it can't verify. It keeps what
 * came, unless that would be too much.
 */
export async function makeReceiver(secret: () => string, { keeps = true } = {}): Promise<Receiver> {
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const headers = request.headers as Record<string, string>;
    try {
      const received = { headers, body: new Webhook(secret()).verify(text, headers) };
      if (keeps) receiver.came.push(received);
      const status = await receiver.answer(received);
      if (keeps && status < 300) receiver.accepted.push(received);
      reply.writeHead(status).end(status < 300 ? receiver.thanks : 'not now');
    } catch (error) {
      reply.writeHead(401).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    accepted: [],
    came: [],
    answer: () => 200,
    thanks: 'thanks',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
