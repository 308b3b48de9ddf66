import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Problem, problem } from '../domain/problems.ts';
import { problemBody, problemHeaders } from './problems.ts';
import { newTraceId, traceIdOf } from './trace.ts';

const explanations: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The URL and headers together are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long.',
};

/** What Node refuses before a request exists, garbled or too slow HTTP, answered as a Problem on the bare socket. */
export function answerClientError(publicUrl: string): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    // The other side is gone, or an answer is on its way already: another one would only garble it.
    const { bytesWritten = 0, _httpMessage: answering } = socket as Socket & { _httpMessage?: ServerResponse };
    if (error.code === 'ECONNRESET' || !socket.writable || (answering?.headersSent && bytesWritten > 0)) {
      socket.destroy();
      return;
    }
    const detail = explanations[error.code ?? ''] ?? 'The request is not valid HTTP.';
    socket.end(rawAnswer(problem('invalid_request', detail), publicUrl, '/', newTraceId()));
  };
}

/** What Node answers by itself, and not with a Problem. */
export function takeOverFromNode(server: Server, publicUrl: string): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const traceId = traceIdOf(request);
    const refused = problem('invalid_request', 'The only Expect that is understood is 100-continue.');
    response.writeHead(refused.status, { ...problemHeaders(refused), ...commonHeaders(traceId) });
    response.end(JSON.stringify(problemBody(refused, { publicUrl, instance: pathOf(request), traceId })));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {});
    socket.end(rawAnswer(problem('not_found', 'There is no such route.'), publicUrl, '/', traceIdOf(request)));
  });
}

function rawAnswer(error: Problem, publicUrl: string, instance: string, traceId: string): string {
  const body = JSON.stringify(problemBody(error, { publicUrl, instance, traceId }));
  const headers = {
    ...problemHeaders(error),
    ...commonHeaders(traceId),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${error.status === 404 ? 'Not Found' : 'Bad Request'}\r\n${lines.join('')}\r\n${body}`;
}

function commonHeaders(traceId: string): Record<string, string> {
  return { 'x-trace-id': traceId, 'cache-control': 'no-store' };
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '/';
}
