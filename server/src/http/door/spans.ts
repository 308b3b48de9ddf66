import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tracer } from '../../domain/ports.ts';
import { newSpanId, nowMs } from '../../domain/texting/text-traces.ts';
import { routeOf } from './request-log.ts';
import { parentIdOf } from './trace.ts';

/** Asked every few seconds, by machines. */
const untraced = ['/healthz', '/readyz', '/metrics'];

/** A span for every request in a trace that is kept. */
export function addSpans(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onResponse', (request, reply, next) => {
    const route = routeOf(request);
    if (tracer.samples(request.id) && !untraced.includes(route ?? '')) {
      const endMs = nowMs();
      const { statusCode, elapsedTime } = reply;
      tracer.record({
        traceId: request.id,
        spanId: spanIdOf(request),
        parentId: parentIdOf(request.raw),
        name: `${request.is404 ? 'unknown' : request.method} ${route ?? ''}`.trim(),
        kind: 'server',
        startMs: endMs - elapsedTime,
        endMs,
        attributes: {
          'http.request.method': request.is404 ? '_OTHER' : request.method,
          'http.route': route,
          'http.response.status_code': statusCode,
          'error.type': request.problemCode ?? undefined,
          'assent.application.id': request.caller?.applicationId,
          'assent.advisor.id': request.caller?.advisorId,
        },
        failed: statusCode >= 500,
      });
    }
    next();
  });
}

/** The request’s own span, from which everything that it does goes on. */
export function spanIdOf(request: FastifyRequest): string {
  request.spanId ??= newSpanId();
  return request.spanId;
}

declare module 'fastify' {
  interface FastifyRequest {
    spanId: string | null;
  }
}
