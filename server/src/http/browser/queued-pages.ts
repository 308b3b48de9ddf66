import type { FastifyInstance } from 'fastify';
import type { FairQueue } from '../../domain/shared/fair-queue.ts';
import { networkOf } from '../../domain/sign-in/throttles.ts';
import { sendFailure } from './failures.ts';

/** Pages that anyone may ask for, signed in or not: visitors take turns. */
export function addPagesIn(queue: FairQueue, app: FastifyInstance, add: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
    // Only after the form is read, so that slow clients don't take up anyone's turn.
    scope.addHook('preHandler', async (request) => {
      request.leaveQueue = await queue.enter(networkOf(request.ip));
    });
    // Before the response is sent, so that clients who don't read it don't take up anyone's turn …
    scope.addHook('onSend', async (request) => request.leaveQueue?.());
    // … and again for one that is never sent, because its client is gone.
    scope.addHook('onResponse', async (request) => request.leaveQueue?.());
    add(scope);
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    leaveQueue: (() => void) | null;
  }
}
