import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as it goes over the wire. */
export type Sent = { method: string; url: string; headers: Record<string, string>; body: Buffer; chunked: boolean };
export type Received = { status: number; headers: IncomingHttpHeaders; text: string };
export type Client = { send(sent: Sent): Promise<Received>; close(): void };

const answerMs = 20_000;

/** Over a real connection, one request after the other: what the parser of HTTP makes of it is tried as well. */
export function makeClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function once({ method, url, headers, body, chunked }: Sent): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
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
    // A kept connection may be closed by the other side just as it is used again: that is no answer to this request.
    send: (sent) => once(sent).catch((error) => (error.reusedSocket ? once(sent) : Promise.reject(error))),
    close: () => agent.destroy(),
  };
}
