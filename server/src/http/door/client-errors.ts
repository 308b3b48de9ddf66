import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Problem, problem } from '../../domain/problems.ts';
import type { Log } from '../../log.ts';
import { commonHeaders, headerBytesMax, pathOf } from './headers.ts';
import { problemBody, problemHeaders } from './problems.ts';
import { newTraceId, traceIdOf } from './trace.ts';
import { noSuchRoute } from './unknown-routes.ts';

const explanations: Record<string, string> = {
  HPE_HEADER_OVERFLOW: `The URL and headers together are too long: at most ${headerBytesMax / 1024} KiB.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive; nothing was done.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long.',
};

const lingerMs = 1_000;

type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Node refuses malformed or slow HTTP before a request exists. Answers it with a Problem on the bare socket. */
export function respondToClientError(
  publicUrl: string,
  log: Log,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const done = new WeakSet<Duplex>();
  return (error, duplex) => {
    const socket = duplex as HttpSocket;
    if (error.code === 'ECONNRESET') return void socket.destroy();
    // A malformed connection stays malformed: each further packet raises the same error.
    if (done.has(socket)) return;
    done.add(socket);
    afterEarlierResponses(socket, () => {
      // The response to this request is already being sent: a second one would only corrupt it.
      if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
      const refused = problem('invalid_request', explanations[error.code ?? ''] ?? 'The request is not valid HTTP.');
      const traceId = newTraceId();
      log.info({ traceId, status: refused.status, code: refused.code, reason: error.code }, 'request');
      socket.end(rawResponse(refused, publicUrl, traceId));
      // Don't accept the rest of a slow request after all. Discard the rest of a malformed one for a moment: closing with
      // unread bytes resets the connection, and the response may be lost with it.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroySoon();
      else setTimeout(() => socket.destroy(), lingerMs).unref();
    });
  };
}

/** Complete requests that came earlier on the same connection get their responses first. */
function afterEarlierResponses(socket: HttpSocket, then: () => void): void {
  const { _httpMessage: answering } = socket;
  if (answering?.req.complete) answering.once('close', () => afterEarlierResponses(socket, then));
  else then();
}

/** Two cases that Node would answer without a Problem. */
export function takeOverFromNode(server: Server, publicUrl: string): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const traceId = traceIdOf(request);
    const refused = problem('invalid_request', 'Expect must be 100-continue, or left out.');
    response.writeHead(refused.status, { ...problemHeaders(refused), ...commonHeaders(traceId, publicUrl) });
    response.end(JSON.stringify(problemBody(refused, { publicUrl, instance: pathOf(request), traceId })));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {});
    const refused = noSuchRoute();
    socket.end(rawResponse(refused, publicUrl, traceIdOf(request)), () => socket.destroy());
  });
}

function rawResponse(error: Problem, publicUrl: string, traceId: string): string {
  const body = JSON.stringify(problemBody(error, { publicUrl, instance: '/', traceId }));
  const headers = {
    ...problemHeaders(error),
    ...commonHeaders(traceId, publicUrl),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${error.status === 404 ? 'Not Found' : 'Bad Request'}\r\n${lines.join('')}\r\n${body}`;
}
