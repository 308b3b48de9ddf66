import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const slowMs = 1_000;

/** A line in the log for each request that was answered, or for a share of those that went well. */
export function addRequestLog(app: FastifyInstance, logSample: number): void {
  app.addHook('onResponse', (request, reply, next) => {
    if (wentWell(reply) && !isInSample(request.id, logSample)) return next();
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

/** By the end of the trace id, which is random: all requests of a partner's trace are logged, or none. */
function isInSample(traceId: string, share: number): boolean {
  return share === 1 || Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
}

/** The route's path with its parameters' names. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url;
}
