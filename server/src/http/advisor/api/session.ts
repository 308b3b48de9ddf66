import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../../../domain/problems.ts';
import type { Session } from '../../../domain/sign-in/sessions.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';
import { describeSession } from './app-session.ts';

/** Who is signed in, what time it is in the domain, and where the events begin that the app hasn't seen. */
export function addSession(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;
  addPassage(app, { method: 'GET', path: '/app/api/session' }, [], async (request, reply) => {
    const session = await requireSession(visits, request);
    const known = { ...(await describeSession(deps, session)), formToken: forms.token(request, reply) };
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(known));
  });
}

export async function requireSession({ sessionOf }: Visits, request: FastifyRequest): Promise<Session> {
  const session = await sessionOf(request);
  if (!session) throw problem('unauthorized', 'You aren’t signed in: sign in again.');
  return session;
}
