import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FairQueue } from '../domain/shared/fair-queue.ts';
import { networkOf } from '../domain/sign-in/throttles.ts';
import { describeFault } from '../oauth/faults.ts';
import { authorizePath, basicChallenge, discoveryPaths, jwksPath, revokePath, tokenPath } from '../oauth/routes.ts';
import type { OAuthServer } from '../oauth/server.ts';
import { sendErrorPage } from './browser/page.ts';
import { readRawBody } from './door/body.ts';
import { isRepeated, pathOf } from './door/headers.ts';
import { logOf } from './door/trace.ts';

/** Queues for the database, which floods must not fill. */
type RequestQueues = { visits: FairQueue; revocations: FairQueue };

/** The library's own limit. */
const formBytesMax = 56 * 1024;

/**
 * The authorization server's endpoints at their exact paths, because the library's own router is lenient about case and
 * slashes. The library answers the raw request itself.
 */
export function addOAuth(root: FastifyInstance, server: OAuthServer, queues: RequestQueues): void {
  root.register(async (app) => addEndpoints(app, server, queues));
}

function addEndpoints(app: FastifyInstance, server: OAuthServer, queues: RequestQueues): void {
  app.setErrorHandler(sendUnavailable);
  const get = [authorizePath, `${authorizePath}/:uid`, jwksPath, ...discoveryPaths];
  for (const url of get) add('GET', url);
  for (const url of [tokenPath, revokePath]) add('POST', url);

  function add(method: 'GET' | 'POST', url: string): void {
    app.route({
      method,
      url,
      // A HEAD would already create a pending authorization request.
      exposeHeadRoute: method === 'GET' && !url.startsWith(authorizePath),
      onRequest: respond,
      handler: async () => {},
    });
  }

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!isSpelled(request)) return void reply.callNotFound();
    await server.ready();
    if (isRepeated(request.raw, 'authorization')) return void sendTwoHeaders(request, reply);
    if (request.method === 'POST' && !(await readBody(request.raw))) return void sendTooLarge(request, reply);
    const queue = request.routeOptions.url === revokePath ? queues.revocations : queues.visits;
    const leave = needsDatabase(request) ? await queue.enter(networkOf(request.ip)) : () => {};
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value);
    const { raw: req, ip: address, id: traceId } = request;
    const log = logOf(request);
    const note = (error: string) => {
      request.problemCode = error;
    };
    await server.handle({ req, res: reply.raw, address, traceId, log, note }).finally(leave);
  }
}

function needsDatabase({ routeOptions: { url } }: FastifyRequest): boolean {
  return ![jwksPath, ...discoveryPaths].includes(url ?? '');
}

/**
 * The library reads the body inside the request's transaction, so a slow client would hold a database connection. So the
 * body is read before that and handed over when the library asks for it.
 */
async function readBody(req: IncomingMessage): Promise<boolean> {
  const body = await readRawBody(req, formBytesMax);
  if (body === 'too large') return false;
  const read = Readable.from([body], { objectMode: false });
  Object.defineProperties(req, {
    readable: { get: () => read.readable },
    iterator: { value: (options?: object) => read.iterator(options) },
  });
  return true;
}

/** Node would keep the first without a word. */
function sendTwoHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [error, error_description] = ['invalid_client', 'The Authorization header is there twice: send it once.'];
  request.problemCode = error;
  const challenge = basicChallenge(error, error_description);
  return reply.code(401).header('www-authenticate', challenge).send({ error, error_description });
}

function sendTooLarge(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.problemCode = 'invalid_request';
  const error_description = `The form is larger than ${formBytesMax / 1024} KiB.`;
  return reply.code(400).send({ error: 'invalid_request', error_description });
}

/** Fastify's router decodes the path and accepts an empty parameter; the library would read the path differently. */
function isSpelled({ raw, routeOptions }: FastifyRequest): boolean {
  const path = pathOf(raw);
  const wanted = routeOptions.url ?? '';
  return wanted.endsWith('/:uid') ? /^[\w-]+$/.test(path.slice(wanted.length - ':uid'.length)) : path === wanted;
}

/** The library isn't running yet: it can't start without the keys, which are in the database. */
function sendUnavailable(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode = 500 } = error as { statusCode?: number };
  // The client disconnected or was cut off: nobody reads this response, and nothing failed on our side.
  if (statusCode < 500)
    return reply.code(400).send({ error: 'invalid_request', error_description: 'The form is incomplete.' });
  const { status, error: code, message, level, headers } = describeFault(error);
  request.problemCode = code;
  logOf(request)[level]({ err: error }, 'the authorization server failed');
  reply.headers(headers);
  if (request.routeOptions.url?.startsWith(authorizePath))
    return sendErrorPage(reply, { status, title: 'Not available', message, next: 'Reload this page.' });
  return reply.code(status).send({ error: code, error_description: `${message} Try again.` });
}
