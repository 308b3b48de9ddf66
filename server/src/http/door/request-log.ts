import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isInShare } from '../../log.ts';

const slowMs = 1_000;

/** A line in the log for each request that was answered, or for a share of those that went well. */
export function addRequestLog(app: FastifyInstance, logSample: number): void {
  app.addHook('onResponse', (request, reply, next) => {
    if (wentWell(reply) && !isInShare(request.id, logSample)) return next();
    const { id: traceId, problemCode, caller } = request;
    app.log.info(
      {
        traceId,
        method: request.is404 ? undefined : request.method,
        route: routeOf(request),
        status: reply.statusCode,
        code: problemCode ?? undefined,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        applicationId: caller?.applicationId,
        advisorId: caller?.advisorId,
      },
      'request',
    );
    next();
  });
}

function wentWell({ statusCode, elapsedTime }: FastifyReply): boolean {
  return statusCode >= 200 && statusCode < 300 && elapsedTime < slowMs;
}

/** The route's path with its parameters' names. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url;
}
