import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A line in the log for each request that was answered. */
export function addRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, next) => {
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

/** The route's path with its parameters' names. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url;
}
