import type { ServerOptions as HttpServerOptions, IncomingMessage, Server } from 'node:http';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Log } from '../../log.ts';
import { readRawBody } from './body.ts';
import { respondToClientError, takeOverFromNode } from './client-errors.ts';
import { commonHeaders, headerBytesMax } from './headers.ts';
import { addHooks } from './hooks.ts';
import { sendProblem } from './problems.ts';
import { addRequestLog } from './request-log.ts';
import { logOf, traceIdOf } from './trace.ts';
import { noSuchRoute } from './unknown-routes.ts';

type ServerOptions = {
  environment: string;
  publicUrl: string;
  requestTimeoutMs: number;
  trustedProxies: string[];
  log: Log;
  logSample: number;
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
  addRequestLog(app, options.logSample);
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
