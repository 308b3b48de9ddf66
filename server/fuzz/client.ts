import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as it is sent. */
export type FuzzRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  chunked: boolean;
};
export type FuzzResponse = { status: number; headers: IncomingHttpHeaders; text: string };
export type Client = { send(sent: FuzzRequest): Promise<FuzzResponse>; close(): void };

const answerMs = 20_000;

/** Sends one request after another over a real connection, which tests the HTTP parser, too. */
export function makeClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function once({ method, url, headers, body, chunked }: FuzzRequest): Promise<FuzzResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse>();
    const length = body.length === 0 || chunked ? {} : { 'content-length': String(body.length) };
    const outgoing = request(
      { agent, host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...length }, timeout: answerMs },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`There was no answer within ${answerMs / 1000} s.`)));
    outgoing.on('error', (error) => reject(Object.assign(error, { reusedSocket: outgoing.reusedSocket })));
    outgoing.end(body.length > 0 ? body : undefined);
    return promise;
  }

  return {
    // The server may close a kept-alive connection just as it is reused: that is not an answer to this request.
    send: (sent) => once(sent).catch((error) => (error.reusedSocket ? once(sent) : Promise.reject(error))),
    close: () => agent.destroy(),
  };
}
