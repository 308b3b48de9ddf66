import type { ServerOptions as HttpServerOptions, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type Problem, problem } from '../../domain/problems.ts';
import type { Log } from '../../log.ts';
import { readRawBody } from './body.ts';
import { commonHeaders, headerBytesMax, pathOf } from './headers.ts';
import { addHooks } from './hooks.ts';
import { problemBody, problemHeaders, sendProblem } from './problems.ts';
import { addRequestLog } from './request-log.ts';
import { logOf, newTraceId, traceIdOf } from './trace.ts';
import { noSuchRoute } from './unknown-routes.ts';

type ServerOptions = {
  environment: string;
  publicUrl: string;
  requestTimeoutMs: number;
  trustedProxies: string[];
  log: Log;
  /** Shows a browser a page instead of the Problem; false if the Problem is right. */
  sendPage?: (refused: unknown, request: FastifyRequest, reply: FastifyReply) => boolean;
  /** Adds hooks that come before ours, which may refuse the request. */
  addFirst?: (app: FastifyInstance) => void;
  /** What requests and responses are, instead of Node's own classes. */
  classes?: Pick<HttpServerOptions, 'IncomingMessage' | 'ServerResponse'>;
};

const slowClientPollMs = 500;

/** A Fastify whose every response has our headers and a line in the log, and whose every refusal is a Problem. */
export function makeServer(options: ServerOptions): FastifyInstance {
  const { publicUrl, sendPage } = options;
  const app = Fastify(fastifyOptions(options));
  takeOverFromNode(app.server, publicUrl);
  app.decorate('environment', options.environment);
  app.decorate('publicUrl', publicUrl);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('authenticatedMs', 0);
  app.decorateRequest('leave', null);
  app.decorateRequest('waits', false);
  app.decorateRequest('leaveQueue', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request: unknown, stream: IncomingMessage) => readRawBody(stream));
  // The door validates, in the contract's order and words; Fastify's schemas only serialize.
  app.setValidatorCompiler(() => () => true);
  app.setErrorHandler((error, request, reply) => {
    if (!sendPage?.(error, request, reply)) sendProblem(error, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw noSuchRoute();
  });
  options.addFirst?.(app);
  addHooks(app, publicUrl);
  addRequestLog(app);
  return app;
}

function fastifyOptions(options: ServerOptions): FastifyHttpOptions<Server> {
  const { publicUrl, requestTimeoutMs, trustedProxies, log, classes } = options;
  return {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request would cost more than the one line that most of them write.
    childLoggerFactory: (logger) => logger,
    genReqId: traceIdOf,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 72_000,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    http: {
      ...classes,
      maxHeaderSize: headerBytesMax,
      // Node would answer a request without Host with an empty 400; hooks.ts refuses it with a Problem.
      requireHostHeader: false,
      // With the default of a minute, Node would allow the body that minute too, and check only every 30 s.
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: slowClientPollMs,
    },
    rewriteUrl: originForm,
    return503OnClosing: false,
    routerOptions: { maxParamLength: headerBytesMax },
    clientErrorHandler: respondToClientError(publicUrl, log),
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id, publicUrl));
      sendProblem(error, request, reply);
      logOf(request).info({ status: reply.statusCode, code: request.problemCode ?? undefined }, 'request');
    },
  };
}

/** The request target without scheme and host: RFC 9112 requires servers to accept the absolute form too. */
function originForm({ url = '/' }: { url?: string }): string {
  const [, target] = (!url.startsWith('/') && /^https?:\/\/[^/?]*(.*)$/i.exec(url)) || [];
  if (target === undefined) return url;
  return target.startsWith('/') ? target : `/${target}`;
}

declare module 'fastify' {
  interface FastifyInstance {
    environment: string;
    publicUrl: string;
  }
}

const explanations: Record<string, string> = {
  HPE_HEADER_OVERFLOW: `The URL and headers together are too long: at most ${headerBytesMax / 1024} KiB.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive; nothing was done.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long.',
};

const lingerMs = 1_000;

type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Node refuses malformed or slow HTTP before a request exists. Answers it with a Problem on the bare socket. */
function respondToClientError(publicUrl: string, log: Log): (error: NodeJS.ErrnoException, socket: Duplex) => void {
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
function takeOverFromNode(server: Server, publicUrl: string): void {
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
