import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Deps, onReserved } from '../../deps.ts';
import { takeCall } from '../../domain/delivery/calls.ts';
import type { CarrierNews, OpenCarrier } from '../../domain/ports.ts';
import { problem } from '../../domain/problems.ts';
import { makeFairQueue } from '../../domain/shared/fair-queue.ts';
import { networkOf } from '../../domain/sign-in/throttles.ts';
import { readRawBody } from '../door/body.ts';

/** Anybody's, until its signature is checked. A carrier's longest are a third of that. */
const bodyBytesMax = 64 * 1024;
/** Carriers send their few kilobytes at once. */
const bodyMs = 5_000;
/** Bodies that are read at once, in all and from one network: until its signature is checked, a call may be anybody's. */
const readingMax = 64;
const readingEachMax = 16;
const signatureHeader = /signature|^authorization$/;

/**
 * Where carriers deliver replies and receipts: `POST /carriers/:name/calls`. A call is answered once what it says is stored.
 * Otherwise it gets an error, and the carrier calls again. Storing twice changes nothing.
 */
export function addCarrierCalls(app: FastifyInstance, deps: Deps): void {
  const queue = makeFairQueue({ width: readingMax, share: readingEachMax, tooMany });
  const path = '/carriers/:name/calls';
  // Before the body is parsed: most of it is never read if nothing is signed.
  app.post(path, { onRequest: respond }, async () => {});

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const leave = await queue.enter(networkOf(request.ip));
    const { carrier, news } = await read(request, deps).finally(leave);
    // On the reserved connections: an opt-out gets through whatever else goes on.
    await takeCall(onReserved(deps), carrier, news);
    return reply.type(news.response.type).send(news.response.body);
  }
}

type Call = { carrier: OpenCarrier; news: CarrierNews };

/** Anybody can make it look for a carrier, so it looks in memory. */
async function read(request: FastifyRequest, { carriers, config, databaseClock }: Deps): Promise<Call> {
  const { name } = request.params as { name: string };
  const carrier = carriers.list().find((each) => each.name === name);
  if (!carrier?.readCall) throw problem('not_found', 'There is no carrier of this name, or it makes no calls.');
  const headers = singleHeaders(request.headers);
  if (!Object.keys(headers).some((each) => signatureHeader.test(each))) throw notSigned();
  const url = config.publicUrl + request.raw.url;
  const news = carrier.readCall({ url, headers, body: await readBody(request) }, databaseClock.now());
  if (!news) throw notSigned();
  return { carrier, news };
}

async function readBody({ raw }: FastifyRequest): Promise<Buffer> {
  const reading = readRawBody(raw, bodyBytesMax);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(problem('invalid_request', 'The body came too slowly.')), bodyMs);
  try {
    const body = await Promise.race([reading, late.promise]);
    if (body === 'too large') throw problem('payload_too_large', 'The body is larger than 64 KiB.');
    return body;
  } finally {
    clearTimeout(timer);
    // If it is late, it still ends at some time.
    reading.catch(() => {});
  }
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
}

function notSigned() {
  return problem('forbidden', 'The signature is missing or wrong: check the carrier’s settings, and PUBLIC_URL.');
}

function tooMany() {
  return problem('downstream_unavailable', 'Too many calls are waiting; nothing was done.');
}
